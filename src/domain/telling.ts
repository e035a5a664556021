/** What an agent is told, and what is remembered of it: why its run was begun, and which prompt its thread has seen. */
import type { ThreadId } from "./run.ts";

/** Why a run was begun, seen from the one before it. */
export type Cause =
  /** There was none. */
  | { readonly type: "first" }
  /** It ended well after so many turns, and the issue was still active. */
  | { readonly type: "continued"; readonly turns: number }
  | { readonly type: "retried"; readonly why: string }
  /** It ended with the issue in another state, and somebody has set this one since. */
  | { readonly type: "given_back"; readonly state: string; readonly before: string }
  /** A person released the issue, which had been parked because of this. */
  | { readonly type: "released"; readonly parked: string }
  /** Baton ended under it. */
  | { readonly type: "restarted" };

/** The prompt that a thread has seen last. */
export interface Told {
  readonly thread: ThreadId;
  /** SHA-256 of the prompt, rendered as if for the first attempt, with the issue in `state`. */
  readonly digest: string;
  /** The state as somebody else set it: where its agent moved it is no news to the agent. */
  readonly state: string;
}

/** What a turn was given. */
export interface Said {
  readonly text: string;
  readonly told: Told;
}
