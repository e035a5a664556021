/** The face of this folder: what happened, as facts: the bus, the log, redaction, and words for people. */
export { plain, plainEnds } from "./plain.ts";
export { scanWords } from "./scan-words.ts";
export { counted, duration, outcomeWords, sentence } from "./words.ts";
export { Facts } from "./bus.ts";
export { createLog } from "./log.ts";
export { Redactor } from "./redact.ts";
export { describe, type Level } from "./describe.ts";
