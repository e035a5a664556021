/**
 * The tracker port: what the daemon needs of an issue tracker, and nothing else (SPEC 11.1). tracker/linear/ is the
 * real thing, tracker/memory.ts a full fake; test/contract/tracker-suite.ts holds the cases both must pass.
 */
import type { AgentTool } from "../agent/agent.ts";
import type {
  FactBody,
  Instant,
  Issue,
  IssueId,
  IssueStatus,
  IssueSummary,
  OpenCount,
  TrackerHome,
} from "../domain/domain.ts";

export interface Tracker {
  /**
   * Every issue in the scope's active states, carrying all required labels, in the tracker's order. Lean: no labels,
   * blockers or description. Complete or an error: half a list is never returned (I7 of docs/ARCHITECTURE.md, SPEC
   * 11.1).
   * @throws TrackerError
   */
  candidates(signal: AbortSignal): Promise<readonly IssueSummary[]>;

  /**
   * The present state of these ids, for reconciliation: like `issues`, but lean, so that it can be asked on every tick.
   * @throws TrackerError
   */
  statuses(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly IssueStatus[]>;

  /**
   * The hydrated issues of these ids, in no particular order, at most one each. An id without an issue is one that is
   * no longer visible. Archived, trashed and differently assigned issues come back with `dispatchable: false`.
   * An empty list answers at once without a request. A record that cannot be read is an error, never left out.
   * @throws TrackerError
   */
  issues(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly Issue[]>;

  /**
   * Lean issues of the scope in these states, whatever their labels: the startup sweep asks for terminal ones (SPEC 8.6).
   * An empty list answers at once without a request.
   * @throws TrackerError
   */
  inStates(states: readonly string[], signal: AbortSignal): Promise<readonly IssueSummary[]>;

  /**
   * Whether endpoint and key work, for `baton doctor`: the name of the key's user, or of whom a kind without keys takes us for.
   * @throws TrackerError
   */
  whoAmI(signal: AbortSignal): Promise<string>;

  /**
   * Whether what the settings name is there, for `baton doctor`: the name of the project, or whatever holds the issues.
   * @throws TrackerError `invalid_tracker_config` when there is none, or the key may not see it
   */
  scopeName(signal: AbortSignal): Promise<string>;

  /**
   * Where the ids of its issues count. Asked of the tracker once at most; what it does not say is null. Never rejects: the
   * ids tell issues apart nearly always by themselves.
   */
  home(): Promise<TrackerHome>;

  /**
   * The hydrated issue of this identifier or id, whatever its scope, for people who ask why it is not worked on; null = there
   * is none, or the key may not see it. A kind without this is asked by id alone.
   * @throws TrackerError
   */
  find?(name: string, signal: AbortSignal): Promise<Issue | null>;

  /**
   * How many issues of the scope are in its active states, whatever their labels and assignee: counted by ids alone, up to a
   * bound of its own. Without it nobody is told.
   * @throws TrackerError
   */
  countOpen?(signal: AbortSignal): Promise<OpenCount>;

  /** What the board calls things, to hold settings against. Without it, wrong names are not noticed. @throws TrackerError */
  vocabulary?(signal: AbortSignal): Promise<Vocabulary>;

  /** How often it may be asked, where its limits allow less than everybody may wish for; absent = as often as wished. */
  readonly pacer?: Pacer;

  /** The tools that it offers to the agent of a run (SPEC 10.5, 11.5), each used with the daemon's own credentials. */
  tools(run: ToolRun): readonly AgentTool[];
}

/** The names that are there. */
export interface Vocabulary {
  /** Whatever holds the issues; null = it is not there, or the key may not see it. */
  readonly scope: string | null;
  /** Of each team, or board, or whatever has states of its own in the scope. */
  readonly states: readonly { readonly of: string; readonly names: readonly string[] }[];
  readonly labels: readonly string[];
  /** False: there are more labels than these. */
  readonly isAllLabels: boolean;
}

/** How often a workflow may scan. */
export interface Pace {
  readonly everyMs: number;
  /** Why less often than wished, in words; null = as often as wished. */
  readonly why: string | null;
}

/** Keeps the questions of one workflow within what the tracker allows; asked before each of them. */
export interface Pacer {
  /** How often it may scan when it wants to every `wishedMs`. */
  pace(wishedMs: number): Pace;
  /** Whether the next scan may begin; if so, it has begun. */
  beginScan(wishedMs: number): boolean;
  /** Whether so many running issues may be looked up between two scans; if so, they are. */
  beginRefresh(issues: number): boolean;
  /**
   * Before so many issues are read whole that could start; `isAgain`: all were found not to be startable before, and nothing
   * is known to have changed. Null = now; else when it makes sense to ask again.
   */
  mayLook(issues: number, isAgain: boolean): LookLater | null;
  /** Whether it may be asked now what only people want to know: how many issues are open, what things are called. */
  maySurvey(): boolean;
}

/** A look that has to wait for our own sake: the tracker was not asked, and refuses nothing. */
export interface LookLater {
  readonly until: Instant;
  /** In words. */
  readonly why: string;
}

/** What a tool may know of the run it works for, and how it tells what it does. */
export interface ToolRun {
  /** Tells the run from every other one of any installation. */
  readonly mark: string;
  readonly publish: (fact: FactBody) => void;
  /** Like `publish`, and on disk when it returns (I4). @throws when it could not be written down */
  readonly record: (fact: FactBody) => void;
}

/** What a tracker tells besides its answers. */
export interface TrackerNews {
  /** Rate-limit headers of a response: numbers by header name without the `x-ratelimit-` prefix. */
  readonly rates: (limits: Readonly<Record<string, number>>) => void;
  /** What was unreadable and left out of a list that was read to its end, in words, one each (SPEC 11.1); nothing = []. */
  readonly rejected: (errors: readonly string[], list: RecordList) => void;
}

/** Of the scan for candidates, or of the sweep for finished issues. */
export type RecordList = "candidates" | "finished";

/**
 * SPEC 11.4's categories. A refused key is a `tracker_status` like any other answer that is no success, and GraphQL errors
 * are a `tracker_response`: what is different about them is in `passing` and in the hint.
 */
export type TrackerErrorKind =
  | "unsupported_tracker_kind"
  | "invalid_tracker_config"
  | "missing_tracker_secret"
  | "tracker_request"
  | "tracker_status"
  | "tracker_response"
  | "tracker_pagination"
  | "tracker_rate_limited";

interface TrackerErrorDetails {
  readonly status?: number;
  readonly retryAt?: Instant | null;
  /** Instead of what is usually to be done about this kind. */
  readonly hint?: string;
  /** Instead of what this kind usually is. */
  readonly passing?: boolean;
  /** One record alone is to blame, whatever else was asked for with it. */
  readonly record?: boolean;
  readonly cause?: unknown;
}

/** The one error of this boundary. The message says what was asked, what came back, in its own words, and what to do. */
export class TrackerError extends Error {
  readonly kind: TrackerErrorKind;
  /** What was asked and what came back: the message without the hint. */
  readonly what: string;
  /** What a person can do about it. */
  readonly hint: string;
  /** HTTP status, when there was an answer. */
  readonly status: number | null;
  /** When it makes sense to ask again, if that is known. */
  readonly retryAt: Instant | null;
  /** True when the same request may work later without anybody doing anything. */
  readonly passing: boolean;
  /** One record alone is to blame: without it, the others can be read. */
  readonly record: boolean;

  constructor(kind: TrackerErrorKind, what: string, more: TrackerErrorDetails = {}) {
    const hint = more.hint ?? usualHint(kind);
    super(`${what} ${hint}`, { cause: more.cause });
    this.name = "TrackerError";
    this.kind = kind;
    this.what = what;
    this.hint = hint;
    this.status = more.status ?? null;
    this.retryAt = more.retryAt ?? null;
    this.passing = more.passing ?? isUsuallyPassing(kind, this.status);
    this.record = more.record ?? false;
  }
}

function isUsuallyPassing(kind: TrackerErrorKind, status: number | null): boolean {
  switch (kind) {
    case "tracker_request":
    case "tracker_rate_limited":
    case "tracker_response":
    case "tracker_pagination":
      return true;
    case "tracker_status":
      return status === null || status >= 500 || status === 408 || status === 429;
    case "unsupported_tracker_kind":
    case "invalid_tracker_config":
    case "missing_tracker_secret":
      return false;
  }
}

function usualHint(kind: TrackerErrorKind): string {
  switch (kind) {
    case "unsupported_tracker_kind":
      return "Set tracker.kind to one that is supported.";
    case "invalid_tracker_config":
      return "Correct it in the workflow file.";
    case "missing_tracker_secret":
      return "Set tracker.api_key, or the environment variable that it names.";
    case "tracker_request":
    case "tracker_status":
      return "If this goes on, check the network, tracker.endpoint and the tracker's status page.";
    case "tracker_response":
    case "tracker_pagination":
      return "Nothing of it was used. If this goes on, check tracker.endpoint, and whether there is a newer Baton.";
    case "tracker_rate_limited":
      return "Nothing has to be done: Baton asks again by itself.";
  }
}
