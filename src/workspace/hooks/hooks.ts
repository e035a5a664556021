/** The face of this folder: the four hooks, and bash behind them (SPEC 9.4). */
export { bashHooks } from "./bash.ts";
export { type HookName, type HookRunner, runHook, scriptOf } from "./port.ts";
