/**
 * What an issue has used up, and how that changes when a run of it is over and when a person releases it. Every field is
 * written out wherever a tally is made, so that the compiler names each place that a new counter has to pass.
 */
import {
  addTokens,
  type Ending,
  type Failure,
  type FailureKind,
  highWater,
  type Instant,
  noTokens,
  type Outcome,
  type ThreadId,
  type Told,
  type Tokens,
} from "../domain/domain.ts";
import { THREAD_FAILURES_MAX, threadFailures } from "./threads.ts";

/** Counters of one issue which its limits are held against. They start again when a person releases the issue. */
export interface Tally {
  readonly runs: number;
  /** Consecutive. */
  readonly failures: number;
  /** Consecutive completed runs that changed nothing. */
  readonly idle: number;
  /** The workspace as the last surveyed run left it (workspace/git/progress.ts); null = never surveyed. */
  readonly fingerprint: string | null;
  /** What a person granted on top of the limits. */
  readonly extraRuns: number;
  readonly extraTokens: number;
  readonly tokens: Tokens;
  /** The thread a next run should resume; null = none. */
  readonly thread: ThreadId | null;
  /** High-water mark of that thread (I6 of docs/ARCHITECTURE.md). */
  readonly threadTotal: Tokens;
  /** How often in a row that thread has failed by itself; it is given up at `THREAD_FAILURES_MAX` (threads.ts). */
  readonly threadFailures: number;
  /** The prompt that was told last, and to which thread; null = none was. */
  readonly told: Told | null;
  /** How the last run ended; null = there was none in this workspace. */
  readonly last: LastRun | null;
}

/** What the next run has to know of the one before it. */
export interface LastRun {
  readonly at: Instant;
  /** The state as last seen; null = nobody was there to see it. */
  readonly state: string | null;
  /** The thread that was opened; null = none was. */
  readonly thread: ThreadId | null;
  readonly turns: number;
  readonly outcome: Outcome;
  /** Why, by its kind; null when it ended well, or by what was found to be nobody's issue (holds.ts). */
  readonly kind: FailureKind | null;
  /** In words; null when it ended well. */
  readonly why: string | null;
  /** Why the issue was parked after it; null = it was not, or nobody has released it. */
  readonly released: string | null;
}

export const newTally: Tally = {
  runs: 0,
  failures: 0,
  idle: 0,
  fingerprint: null,
  extraRuns: 0,
  extraTokens: 0,
  tokens: noTokens,
  thread: null,
  threadTotal: noTokens,
  threadFailures: 0,
  told: null,
  last: null,
};

/** What a run leaves behind. */
export interface RunLeft {
  readonly turns: number;
  readonly tokens: Tokens;
  readonly thread: ThreadId | null;
  readonly threadTotal: Tokens;
}

/** How it was found afterwards. */
export interface RunFound {
  readonly ending: Ending;
  /** It failed by what is nobody's issue (holds.ts). */
  readonly held: boolean;
  /** Whether the issue or the workspace is not as it was before the run; null = nobody could tell. */
  readonly moved: boolean | null;
  /** Of the workspace; null = it was not looked at. */
  readonly fingerprint: string | null;
  /** The issue's, as last seen; null = nobody was there to see it. */
  readonly state: string | null;
  readonly at: Instant;
}

/**
 * The counters after a run. What was not the doing gives its attempt back: a provider's bad day must
 * park nobody's ticket, and neither must people who pause or drain. A run that they cut short is no run, neither for
 * nothing nor progress.
 */
export function afterRun(tally: Tally, left: RunLeft, found: RunFound): Tally {
  const { ending, held, moved, fingerprint, state, at } = found;
  const { outcome, failure: why } = ending;
  const cutShort = ending.gate !== undefined;
  const refund = held || cutShort || (why !== null && isRefunded(why)) ? 1 : 0;
  const failed = outcome === "failed" || outcome === "stalled" || outcome === "timed_out";
  // A run that never got as far as a turn leaves a thread that cannot be resumed.
  const known = left.turns > 0 ? { thread: left.thread, threadTotal: markOf(left, tally) } : tally;
  const failing = threadFailures(tally, { ...left, why, held });
  // Or a person has asked for a new one while this was under way.
  const isGivenUp = Math.max(failing, tally.threadFailures) >= THREAD_FAILURES_MAX;
  return {
    // A person may have set it back while the run was under way: nothing is given back twice.
    runs: Math.max(0, tally.runs - refund),
    failures: outcome === "completed" ? 0 : tally.failures + (failed && refund === 0 ? 1 : 0),
    // A completed run that moved neither the issue nor the workspace was for nothing; who cannot tell does not count it.
    idle: outcome !== "completed" || cutShort ? tally.idle : moved === false ? tally.idle + 1 : 0,
    fingerprint: fingerprint ?? tally.fingerprint,
    extraRuns: tally.extraRuns,
    extraTokens: tally.extraTokens,
    tokens: addTokens(tally.tokens, left.tokens),
    thread: isGivenUp ? null : known.thread,
    threadTotal: isGivenUp ? noTokens : known.threadTotal,
    threadFailures: isGivenUp ? 0 : failing,
    told: tally.told,
    last: {
      at,
      state,
      thread: left.thread,
      turns: left.turns,
      outcome,
      kind: held ? null : (why?.kind ?? null),
      why: why?.message ?? null,
      released: null,
    },
  };
}

const isRefunded = ({ kind }: Failure): boolean =>
  kind === "shutdown" || kind === "lost" || kind === "workspace_in_use";

/** The counters when so many failures have turned out to be nobody's issue. */
export const givenBack = (tally: Tally, failures: number): Tally => ({
  ...tally,
  runs: Math.max(0, tally.runs - failures),
  failures: Math.max(0, tally.failures - failures),
});

// The mark of another thread would swallow the first tokens of this one.
const markOf = ({ thread, threadTotal }: RunLeft, tally: Tally): Tokens =>
  thread === tally.thread ? highWater(threadTotal, tally.threadTotal) : threadTotal;

/** What a person grants with a release, on top of the limits. */
export type Granted = Pick<Tally, "extraRuns" | "extraTokens">;

/** What a person says with a release. */
export interface Release {
  /** Why the issue was parked; null = it was not. */
  readonly parked: string | null;
  readonly granted?: Granted;
  /** The next run begins a new thread. */
  readonly newThread?: boolean;
}

/**
 * The counters start again; what is known of the workspace and last run stays. So does its thread, unless that had
 * its part in what was parked: the same attempts on it would end as they did.
 */
export function released(tally: Tally, { parked, granted = newTally, newThread = false }: Release): Tally {
  const { fingerprint, told, last } = tally;
  const isGivenUp = newThread || (parked !== null && tally.threadFailures > 0);
  const { thread, threadTotal, threadFailures } = isGivenUp ? newTally : tally;
  return {
    runs: 0,
    failures: 0,
    idle: 0,
    fingerprint,
    extraRuns: granted.extraRuns,
    extraTokens: granted.extraTokens,
    tokens: noTokens,
    thread,
    threadTotal,
    threadFailures,
    told,
    last: last === null || parked === null ? last : { ...last, released: parked },
  };
}

/** While a run is under way: its thread is given up when it ends. */
export const givenUpLater = (tally: Tally): Tally => ({ ...tally, threadFailures: THREAD_FAILURES_MAX });

/** The workspace goes, and with it the thread that knew it and what it was told. */
export const withoutWorkspace = (tally: Tally): Tally => ({
  ...tally,
  thread: null,
  threadTotal: noTokens,
  threadFailures: 0,
  told: null,
  last: null,
});
