/** What `baton show` is about: an issue with all its runs, or one run. Everything is read in one go. */
import type { Issue } from "../domain/domain.ts";
import type { IssueRow, LedgerReader, RunRow, TimelineRow } from "../ledger/ledger.ts";
import { CliError, EXIT } from "./exit.ts";
import { near } from "./near.ts";

export interface Subject {
  readonly issue: IssueRow;
  /** As last seen by the daemon; known only while it holds a claim. */
  readonly seen: Issue | null;
  /** Newest first: all of the issue's, or the one that was asked for. */
  readonly runs: readonly RunRow[];
  /** Oldest first. */
  readonly timeline: readonly TimelineRow[];
  /** What happened to the issue apart from its runs, oldest first; of a run nothing. */
  readonly besides: readonly TimelineRow[];
  /** There is more of the timeline than `eventsMax`. */
  readonly cut: boolean;
  readonly of: "issue" | "run";
}

/** Runs of one issue; its lifetime limit is far below. */
const RUNS_MAX = 200;

/** How far back names are looked for when one is not found. */
const NAMES_MAX = 500;

/** A ticket that only the tracker knows. */
export const strangerOf = (issue: Issue): Subject => {
  const { id: issueId, identifier, title, state, url } = issue;
  const row: IssueRow = { issueId, identifier, title, state, url, claim: null, tally: null };
  return { issue: row, seen: null, runs: [], timeline: [], besides: [], cut: false, of: "issue" };
};

/** @throws CliError when the ledger knows neither an issue nor a run of this name, with the names that are near. */
export function subjectOf(ledger: LedgerReader, name: string, eventsMax: number): Subject {
  const run = ledger.run(name);
  // An issue's name wins over the beginning of a run's id.
  const issue = run?.id === name ? null : ledger.issue(name);
  if (issue !== null)
    return subject(ledger, issue, ledger.runs({ issue: issue.issueId, limit: RUNS_MAX }), eventsMax, "issue");
  if (run === null) throw unknown(ledger, name);
  const { issueId, identifier } = run;
  const nothing = { title: null, state: null, url: null, claim: null, tally: null };
  const of = ledger.issue(issueId) ?? { issueId, identifier, ...nothing };
  return subject(ledger, of, [run], eventsMax, "run");
}

function subject(
  ledger: LedgerReader,
  issue: IssueRow,
  runs: readonly RunRow[],
  eventsMax: number,
  of: Subject["of"],
): Subject {
  // One more than asked for tells whether there are more.
  const ids = runs.map(({ id }) => id);
  const rows = ledger.timeline(ids, eventsMax + 1);
  const timeline = rows.slice(-eventsMax);
  const besides = of === "issue" ? ledger.besides(issue.issueId, eventsMax) : [];
  const seen = issue.claim?.issue ?? null;
  return { issue, seen, runs, timeline, besides, cut: rows.length > eventsMax, of };
}

function unknown(ledger: LedgerReader, name: string): CliError {
  const runs = ledger.runs({ limit: NAMES_MAX });
  const claimed = ledger.load().claims.map(({ issue }) => issue.identifier);
  const runIds = mayBeRun(name) ? runs.map(({ id }) => id) : [];
  const names = [...claimed, ...runs.map(({ identifier }) => identifier), ...runIds];
  const like = near(name, names);
  const hint =
    like.length > 0 ? `Did you mean ${like.join(" or ")}?` : "`baton runs` lists what the ledger knows.";
  return new CliError(EXIT.failure, `The ledger knows no issue and no run called "${name}". ${hint}`);
}

/** Runs are called r1, r2, ...: who writes DEMO-5 means no run. */
const mayBeRun = (name: string): boolean => /^r?\d+$/i.test(name.trim());
