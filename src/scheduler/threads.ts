/**
 * When a thread is given up: one that cannot go on would use up all the attempts of its issue, and those that a person
 * grants after them. The next run begins a new one, which is told what was done.
 */
import { type Failure, type FailureKind, failureScope, type ThreadId } from "../domain/domain.ts";
import type { LastRun, Tally } from "./tally.ts";

/** So often in a row a thread may fail by itself: once is chance. */
export const THREAD_FAILURES_MAX = 2;

/** What is the thread's own doing whenever it happens: it cannot be resumed, or what it holds is not taken. */
const OWN: ReadonlySet<FailureKind> = new Set([
  "resume_failed",
  "context_window_exceeded",
  "invalid_request",
]);

/** What may be the thread's doing when it happens twice in the same words. */
const WHEN_REPEATED: ReadonlySet<FailureKind> = new Set([
  "turn_failed",
  "turn_cancelled",
  "turn_timeout",
  "stalled",
  "port_exit",
  "out_of_memory",
  "response_timeout",
  "response_error",
  "protocol_violation",
  "content_refused",
]);

/** What a run leaves that says something of its thread. */
export interface ThreadLeft {
  /** The one that was opened; null = none was. */
  readonly thread: ThreadId | null;
  readonly turns: number;
  /** Null = it ended well. */
  readonly why: Failure | null;
  /** It was found to be nobody's issue (holds.ts). */
  readonly held: boolean;
}

/** How often in a row the thread has failed by itself, after this run. */
export function threadFailures(tally: Tally, { thread, turns, why, held }: ThreadLeft): number {
  if (why === null) return 0;
  const isAnother = thread !== null && thread !== tally.thread;
  // It came to no turn: the issue keeps the one it had, which had no part in this.
  if (isAnother && turns === 0) return tally.threadFailures;
  const before = isAnother ? 0 : tally.threadFailures;
  if (OWN.has(why.kind)) return before + 1;
  // The same may happen to all alike, when the thread is not to blame.
  if (held) return before;
  // A second turn follows one that came to its end: the thread can go on.
  const isAtOnce = turns <= 1;
  return isAtOnce && isAgain(tally.last, thread, why) ? Math.max(before + 1, THREAD_FAILURES_MAX) : before;
}

/** A turn came to its end: whatever the thread did before, it can go on. Null = that is known. */
export const threadWorks = (tally: Tally): Tally | null =>
  // At the bound a person has asked for a new one.
  tally.threadFailures === 0 || tally.threadFailures >= THREAD_FAILURES_MAX
    ? null
    : { ...tally, threadFailures: 0 };

const isAgain = (last: LastRun | null, thread: ThreadId | null, why: Failure): boolean =>
  WHEN_REPEATED.has(why.kind) &&
  failureScope(why.kind) === "issue" &&
  thread !== null &&
  last !== null &&
  last.thread === thread &&
  last.kind === why.kind &&
  last.why !== null &&
  wordsOf(last.why) === wordsOf(why.message);

/** Without what differs each time: numbers, and the ids of requests. */
const wordsOf = (message: string): string => message.replace(/\b[0-9a-f-]{8,}\b|\d+/gi, "#");
