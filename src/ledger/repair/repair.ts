/** The face of this folder: a damaged ledger is found, told and made whole again. */
export { checkLedger } from "./check.ts";
export { openWholeLedger } from "./rebuild.ts";
export { damageOf } from "./verify.ts";
