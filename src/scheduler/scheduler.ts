/** The face of this folder: `decide`, the vocabulary it speaks, and what must hold after each step. Pure. */
export type {
  Claim,
  Doubt,
  Hold,
  Lane,
  Pause,
  Policy,
  Refusal,
  Spent,
  State,
  ThreadMark,
  Waiting,
} from "./state.ts";
export { dayOf, startGate } from "./gates.ts";
export type { Decision, LedgerRecord, Telling, Work } from "./effects.ts";
export type { News, RunEvent, RunNews, Unreadable } from "./events.ts";
export { mayRemove } from "./begin.ts";
export { scanEveryMs } from "./pace.ts";
export { decide, initialState, nextDeadline } from "./decide.ts";
export { MISSING_AGAIN_MS } from "./doubts.ts";
export { violations } from "./invariants.ts";
export { afterRun, newTally, type Tally } from "./tally.ts";
export { Claims } from "./claims.ts";
export { PersistentMap } from "./persistent-map.ts";
export { explain, type Explanation, type Gate } from "./explain.ts";
