/**
 * The tracker port: what the daemon needs of an issue tracker, and nothing else (SPEC 11.1). tracker/linear/ is the
 * real thing, tracker/memory.ts a full fake; test/contract/tracker-suite.ts holds the cases both must pass.
 */
import type { Issue, IssueId, IssueStatus, IssueSummary } from "../domain/issue.ts";
import type { Instant } from "../domain/time.ts";

export interface Tracker {
  /**
   * Every issue in the scope's active states, carrying all required labels, in the tracker's order. Lean: no labels,
   * blockers or description. Complete or an error: half a list is never returned (I7, SPEC 11.1).
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

  /** Whether endpoint and key work, for `baton doctor`: the name of the key's user. @throws TrackerError */
  whoAmI(signal: AbortSignal): Promise<string>;

  /**
   * Sends one GraphQL document with the session's own credentials and returns the whole answer, errors included: the
   * transport behind the `linear_graphql` tool (SPEC 10.5).
   * @throws TrackerError on anything but a GraphQL answer.
   */
  graphql(
    document: string,
    variables: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<GraphqlAnswer>;
}

/** A GraphQL response body as the server sent it. */
export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

/** What a tracker tells besides its answers. */
export interface TrackerNews {
  /** Rate-limit headers of a response: numbers by header name without the `x-ratelimit-` prefix. */
  readonly rates: (limits: Readonly<Record<string, number>>) => void;
  /** One record of a list was unreadable and was left out of `candidates` (SPEC 11.1). */
  readonly rejected: (error: string) => void;
}

/** SPEC 11.4's categories; `rate_limited` and `auth` are split off because they are answered differently. */
export type TrackerErrorKind =
  | "unsupported_tracker_kind"
  | "missing_tracker_api_key"
  | "missing_tracker_project_slug"
  | "linear_api_request"
  | "linear_api_status"
  | "linear_graphql_errors"
  | "linear_unknown_payload"
  | "linear_missing_end_cursor"
  | "rate_limited"
  | "auth";

/** The one error of this boundary. The message says what was asked, what came back and what to do. */
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

  constructor(
    kind: TrackerErrorKind,
    what: string,
    more: {
      readonly status?: number;
      readonly retryAt?: Instant | null;
      /** Instead of what is usually to be done about this kind. */
      readonly hint?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    const hint = more.hint ?? usualHint(kind);
    super(`${what} ${hint}`, { cause: more.cause });
    this.name = "TrackerError";
    this.kind = kind;
    this.what = what;
    this.hint = hint;
    this.status = more.status ?? null;
    this.retryAt = more.retryAt ?? null;
  }

  /** True when the same request may work later without anybody doing anything. */
  get passing(): boolean {
    switch (this.kind) {
      case "linear_api_request":
      case "rate_limited":
        return true;
      case "linear_api_status":
        return this.status === null || this.status >= 500 || this.status === 408 || this.status === 429;
      case "linear_unknown_payload":
      case "linear_missing_end_cursor":
        return true;
      case "auth":
      case "linear_graphql_errors":
      case "unsupported_tracker_kind":
      case "missing_tracker_api_key":
      case "missing_tracker_project_slug":
        return false;
    }
  }
}

function usualHint(kind: TrackerErrorKind): string {
  switch (kind) {
    case "unsupported_tracker_kind":
      return "Set tracker.kind to linear.";
    case "missing_tracker_api_key":
      return "Set tracker.api_key, or the environment variable it names, to a Linear API key.";
    case "missing_tracker_project_slug":
      return "Set tracker.project_slug to the slug in the project's URL.";
    case "linear_api_request":
    case "linear_api_status":
      return "If this goes on, check the network, tracker.endpoint and Linear's status page.";
    case "linear_graphql_errors":
      return "Check that what the tracker settings name exists, and that the key's user may see it.";
    case "linear_unknown_payload":
    case "linear_missing_end_cursor":
      return "Nothing of it was used. If this goes on, check tracker.endpoint, and whether there is a newer Baton.";
    case "rate_limited":
      return "Nothing has to be done: Baton asks again by itself.";
    case "auth":
      return "Check that tracker.api_key is a key in use, and that its user may see the project.";
  }
}
