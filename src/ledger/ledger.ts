/** The face of this folder: what is written down, and every way to look at it. Nobody else knows SQL. */
export { LedgerError } from "./ledger-error.ts";
export type {
  IssueRow,
  Ledger,
  LedgerReader,
  OpenRun,
  RunFilter,
  RunRow,
  Saved,
  TimelineRow,
  ToldRow,
  WorkflowText,
} from "./port.ts";
export { openLedgerReadOnly } from "./sqlite.ts";
export { checkLedger, openWholeLedger } from "./repair/repair.ts";
export { backUp } from "./backup.ts";
export { agedIn, pruneFile } from "./prune-file.ts";
export { exportLines } from "./export.ts";
export { answerTo, giveOrder } from "./orders.ts";
export { type Holder, isServedAs, lastHolder, LockHeld, lockState, takeLock } from "./lock.ts";
export {
  type Beat,
  type Heartbeat,
  HeartbeatFile,
  heartbeatOf,
  type RunBeat,
  type WorkflowBeat,
} from "./heartbeat.ts";
export { lastSignOf, lastSigns } from "./last-sign.ts";
export { ledgerFile } from "./stranger.ts";
export { stillThere, takenAway } from "./still-there.ts";
export { refuseMissing } from "./there.ts";
export { tendLedger } from "./tend.ts";
