/** The face of this folder: the words of the whole program, as types and tiny functions. It imports nothing. */
export * from "./bytes.ts";
export * from "./duration.ts";
export * from "./environment.ts";
export * from "./fact.ts";
export * from "./failure.ts";
export * from "./issue.ts";
export * from "./order.ts";
export * from "./run.ts";
export * from "./settings.ts";
export * from "./shell-names.ts";
export * from "./telling.ts";
export * from "./time.ts";
export * from "./value.ts";
