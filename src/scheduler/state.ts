/**
 * All the scheduler knows. Facts and deadlines, never timers, promises or handles; written down in the ledger claim by
 * claim, so a restart begins where the last process ended.
 */
import type {
  Asked,
  Ending,
  Failure,
  Instant,
  Issue,
  IssueId,
  IssueSummary,
  LimitSettings,
  OpenCount,
  ParkReason,
  PauseScope,
  Run,
  RunId,
  RunKind,
  ScanCounts,
  ThreadId,
  Tokens,
  WorkflowName,
} from "../domain/domain.ts";

import type { Claims } from "./claims.ts";
import type { PersistentMap } from "./persistent-map.ts";
import type { Signs, Sort } from "./signs.ts";
import type { Tally } from "./tally.ts";

export interface State {
  /** `draining`: nothing new starts, running turns end by themselves. `stopping`: they are interrupted. */
  readonly phase: "starting" | "serving" | "draining" | "stopping" | "stopped";
  readonly workflows: ReadonlyMap<WorkflowName, Lane>;
  /** An issue is in exactly one phase (I3 of docs/ARCHITECTURE.md): one claim, one union. */
  readonly claims: Claims;
  /** What each issue has used up. Outlives its claims, since its limits do: a done issue may be opened again. */
  readonly tallies: PersistentMap<IssueId, Tally>;
  /** Holds that were in force when the last process ended, of workflows that are not loaded yet. */
  readonly holds: ReadonlyMap<WorkflowName, Hold>;
  /** Refusals that were known when the last process ended, of workflows that are not loaded yet. */
  readonly refusals: ReadonlyMap<WorkflowName, ReadonlyMap<IssueId, Refusal>>;
  /** What people have paused: one workflow, or all of them. */
  readonly pauses: ReadonlyMap<PauseScope, Pause>;
  /** Tokens used on one day, by everybody. */
  readonly spent: Spent;
  /** Runs ever begun; the next one is `r<runsEver + 1>`. */
  readonly runsEver: number;
  /** The last order that was obeyed in this life of the daemon; they are numbered in order. */
  readonly orderDone: number;
  /** While stopping: when patience ends. */
  readonly stopBy: Instant | null;
}

export interface Pause {
  readonly why: string;
  readonly since: Instant;
  /** Null = until somebody resumes. */
  readonly until: Instant | null;
}

export interface Spent {
  /** Days since the Unix epoch, in UTC. */
  readonly day: number;
  readonly tokens: number;
}

/** The part of a workflow's settings that decisions depend on. */
export interface Policy {
  readonly workflow: WorkflowName;
  /** SHA-256 of the WORKFLOW.md text in force; runs are recorded with it. */
  readonly hash: string;
  /**
   * Tells which issues are meant, where, and by whose key (a checksum of the settings of the tracker): what was asked under
   * another one says nothing about this one's issues.
   */
  readonly scope: string;
  /** SHA-256 of the settings under which Codex works: with others, a provider that refused may take work. */
  readonly codexHash: string;
  /** Tells by which command Codex is started, and with what (a checksum); null = nobody looks whether it has what is needed. */
  readonly codexProgram: string | null;
  /** `stateKey`s. */
  readonly activeStates: ReadonlySet<string>;
  readonly terminalStates: ReadonlySet<string>;
  readonly requiredLabels: readonly string[];
  readonly pollIntervalMs: number;
  readonly agentsMax: number;
  /** Keys are `stateKey`s. */
  readonly agentsMaxByState: ReadonlyMap<string, number>;
  readonly turnsMax: number;
  readonly backoffMaxMs: number;
  /** How long a turn may be silent with nothing under way; 0 = nobody minds. */
  readonly silenceMaxMs: number;
  /** While a call of a tool, an MCP server or another agent is under way. */
  readonly callSilenceMaxMs: number;
  /** As they are written: a new one is here at once. */
  readonly limits: LimitSettings;
  readonly graceMs: number;
}

/** What is known of one workflow: by which settings it works, who is next, and what stands in the way. */
export interface Lane {
  readonly policy: Policy;
  /** Why nothing new is dispatched although slots are free: the last reload failed. Null = all well. */
  readonly broken: string | null;
  /** A fault that is nobody's issue. */
  readonly hold: Hold | null;
  /** What its runs have shown lately, by which such a fault is found. */
  readonly signs: Signs;
  /** Why the disk takes no more work; null = it does. */
  readonly diskLow: string | null;
  readonly fit: Fit;
  readonly pollAt: Instant;
  /** How often scans are possible; null = as often as they are wished for. */
  readonly pace: Pace | null;
  /** A scan is under way; its answer sets the next `pollAt`. */
  readonly polling: boolean;
  /** Scans that have come to their end: the one under way is the next. */
  readonly polls: number;
  readonly sweepAt: Instant;
  /** Unclaimed candidates of the last scan, in dispatch order. */
  readonly queue: readonly Candidate[];
  /** Who was refused before the first scan of this life: what the ledger says. Empty after it. */
  readonly remembered: ReadonlyMap<IssueId, Refusal>;
  /** The ledger has the refusals of the queue as they are. */
  readonly refusalsKept: boolean;
  /** Who was found ready for a start and had no slot, and is not known to have changed since. */
  readonly ready: ReadonlySet<IssueId>;
  /** Ids asked for by the revalidation under way; empty = none under way. */
  readonly revalidating: readonly IssueId[];
  /** Issues that were missing in the last answer by id, or could not be read. */
  readonly doubts: ReadonlyMap<IssueId, Doubt>;
  /** How many revalidations in a row have failed. */
  readonly failedLooks: number;
  /** No revalidation before this: the last one failed, or was put off. */
  readonly revalidateAt: Instant;
  /** Why not, in words. */
  readonly lookLater: string | null;
  /** Since when slots are kept for what it finds; null = it looks for nobody, or has started something since. */
  readonly lookingSince: Instant | null;
  /** The number of the last run that it has begun in this life; 0 = none. Among equals the lowest comes first. */
  readonly served: number;
  /** The tracker's rate limit is used up: when that was last said. Null = its last scan was answered. */
  readonly limitSaidAt: Instant | null;
  readonly scan: LastScan;
  /** Questions that the tracker does not answer, while it does not. */
  readonly outages: ReadonlyMap<Asked, Outage>;
  /** How many claims were looked up because a scan did not list them as they were: the next ones have their turn. */
  readonly verified: number;
}

/** A failure that lasts, for people; nothing is decided by it. */
export interface Outage {
  readonly since: Instant;
  readonly lastAt: Instant;
  /** How often in a row it was asked in vain. */
  readonly times: number;
  readonly saidAt: Instant | null;
  /** The sorts of errors that were said. */
  readonly said: ReadonlySet<string>;
}

/** When it is looked whether Codex has what is needed (scheduler/fit.ts). */
export interface Fit {
  /** Null = never again by itself. */
  readonly lookAt: Instant | null;
  readonly looking: boolean;
  /** Starts wait for the first look at a command, and not longer; null = it has come back. */
  readonly waitUntil: Instant | null;
}

/** What scans have come to, for people; nothing is decided by it. */
export interface LastScan {
  /** When the last one was complete; null = none was yet. */
  readonly at: Instant | null;
  /** Since when the next one is due as often as it is now; null = since the start. */
  readonly paceSince: Instant | null;
  /** How many issues it listed. */
  readonly listed: number;
  /** Why the one after it was not complete; null = it was the last. */
  readonly error: string | null;
  /** Issues in active states, whatever their labels; null = not counted yet. */
  readonly open: OpenCount | null;
  /** It is to be told when what it listed has been looked at. */
  readonly isNew: boolean;
  /** As it was last told. */
  readonly told: ScanCounts | null;
}

/** Whose fault it is: the provider takes no work, the installation lets no run begin, or several issues fail alike. */
export type HoldCause = "provider" | "installation" | "systemic";

/** Nothing starts before `until`; then one run at a time tries, and the first that comes as far as `overBy` ends the hold. */
export interface Hold extends Sort {
  readonly cause: HoldCause;
  readonly why: string;
  /** What a person can do about it, in words. */
  readonly remedy: string;
  readonly since: Instant;
  readonly until: Instant;
  /** How often in a row it was found in force without being told until when; 0 = `until` is what the provider said itself. */
  readonly refusals: number;
  /** The run that tries whether it is over; null = none does. */
  readonly trial: RunId | null;
  /** Tells the settings under which it was found (holds.ts): under others it may be over. Null = not known. */
  readonly under: string | null;
}

/** How often the tracker's limits let a workflow scan; `why`: in words, null = as often as it wishes. */
export interface Pace {
  readonly everyMs: number;
  readonly why: string | null;
}

/** What reads by id could not settle about an issue. */
export interface Doubt {
  /** Why it could not be read; null = it was not in the last answer. */
  readonly why: string | null;
  /** How often in a row it could not be read. */
  readonly times: number;
  /** It is not asked for again before. */
  readonly again: Instant;
}

export interface Candidate {
  readonly issue: IssueSummary;
  /** When it was last found not to be startable (blocked, say) since it last changed; null = not looked at. */
  readonly refusedAt: Instant | null;
  /** Ids of what it was found to be blocked by. */
  readonly blockers: readonly string[];
  /**
   * When it is looked at. `first`: it was refused, and something has changed since. `in line`: it was never looked at, or it
   * is its turn to be looked at again. `later`: it was refused, and its turn comes.
   */
  readonly look: "first" | "in line" | "later";
}

/** That a candidate was found not to be startable, as it was then: kept over restarts. */
export interface Refusal {
  readonly at: Instant;
  readonly state: string;
  readonly updatedAt: Instant | null;
  /** Ids. */
  readonly blockers: readonly string[];
}

/** The daemon's hold on an issue. */
export type Claim = Running | Waiting | Parked;

interface Claimed {
  readonly workflow: WorkflowName;
  /** As last seen. */
  readonly issue: Issue;
}

export interface Running extends Claimed {
  readonly phase: "running";
  readonly run: Run;
  /**
   * `starting`: workspace, hooks, process, handshake. `turn`: a turn is under way or asked for. `checking`: between
   * turns, the issue is being refreshed. `ending`: asked to end, `exited` is awaited.
   */
  readonly step: "starting" | "turn" | "checking" | "ending";
  readonly thread: ThreadId | null;
  /** Turns started so far. */
  readonly turns: number;
  /** What this run has used so far; goes into the tally when it ends. */
  readonly tokens: Tokens;
  /** High-water mark of the thread (I6). */
  readonly threadTotal: Tokens;
  /** The same of the other threads that have reported in this run: agents of the model's own. Absent = none. */
  readonly children?: readonly ThreadMark[];
  /** The issue's state when the run began: moving it is progress. */
  readonly stateBefore: string;
  /** The agent was told to come to an end, because most of the issue's tokens are used up. */
  readonly landing: boolean;
  /** When the agent's pulse is to be felt next; null = nobody waits (no turn, or the answer is under way). */
  readonly pulseAt: Instant | null;
  /** When the run has lasted too long. */
  readonly endBy: Instant;
  /** The issue is no longer this run's business: by when it must have ended, and why. Null = it is. */
  readonly leave: { readonly by: Instant; readonly why: string } | null;
  /** The scan that was under way when the issue was last seen by id, whose answer may be older; see `scanUnderWay`. */
  readonly seenDuring: number;
  /** Why it is ending; the first reason wins. Null until `ending`. */
  readonly ending: Ending | null;
}

export interface ThreadMark {
  readonly thread: ThreadId;
  readonly total: Tokens;
}

export interface Waiting extends Claimed {
  readonly phase: "waiting";
  readonly retryAt: Instant;
  /** The next run's attempt number (SPEC 4.1.7). */
  readonly attempt: number;
  readonly kind: RunKind;
  /** One line for people: why it waits. */
  readonly why: string;
  readonly failure: Failure | null;
  /** Its time has come and there was no slot: which cap stood in the way then, in words. */
  readonly slot?: string;
  /** It waits for a hold to end, and for nothing else. */
  readonly held?: true;
}

export interface Parked extends Claimed {
  readonly phase: "parked";
  readonly reason: ParkReason;
  readonly why: string;
  /** What a person has to do for it to go on, in words. */
  readonly wayOut: string;
  readonly since: Instant;
  /** Not looked at since its agent ended: what differs at the first look is the agent's own doing. */
  readonly unseen?: true;
}
