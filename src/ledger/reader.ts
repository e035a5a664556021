/** The questions people and a start ask of the tables. Reads only. */
import type Database from "better-sqlite3";
import type { Fact } from "../domain/fact.ts";
import { issueId } from "../domain/issue.ts";
import type { IssueId } from "../domain/issue.ts";
import { noTokens, runId } from "../domain/run.ts";
import type { RunId, Tokens } from "../domain/run.ts";
import { instant, type Instant } from "../domain/time.ts";
import type { Claim, Tally } from "../scheduler/state.ts";
import type { IssueRow, RunFilter, RunRow, Saved, TimelineRow } from "./port.ts";
import { tokenNames, tokensOf } from "./row.ts";
import type { TokenColumns } from "./row.ts";
import { openRunOf, runRowOf, tallyOf } from "./reader-rows.ts";
import type { RunColumns, TallyColumns } from "./reader-rows.ts";
import { holdOf, pauseOf, spentOf } from "./reader-control.ts";
import type { HoldColumns, PauseColumns, SpentColumns } from "./reader-control.ts";

/** A shorter prefix of a run id would mostly fit several. */
export const prefixMin = 4;

/** After every character an id can begin its rest with: closes the range of a prefix. */
const beyond = "\u{10ffff}";

export class Reader {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#sql = prepare(db);
  }

  load(): Saved {
    return {
      claims: this.#sql.claims.all().map((detail) => JSON.parse(detail) as Claim),
      tallies: new Map(this.#sql.tallies.all().map((row) => [issueId(row.issue_id), tallyOf(row)])),
      installation: this.#sql.installation.get() ?? "",
      runsEver: this.#sql.runsEver.get() ?? 0,
      holds: new Map(this.#sql.holds.all().map(holdOf)),
      pauses: new Map(this.#sql.pauses.all().map(pauseOf)),
      spent: spentOf(this.#sql.spent.get()),
      open: this.#sql.open.all().map((row) => openRunOf(row, this.#mark(row.thread_id))),
    };
  }

  runs(filter: RunFilter): readonly RunRow[] {
    const { issue = null, workflow = null, outcome = null, limit } = filter;
    return this.#sql.runs.all({ issue, workflow, outcome, limit }).map(runRowOf);
  }

  run(id: string): RunRow | null {
    const whole = this.#sql.run.get(id);
    if (whole !== undefined) return runRowOf(whole);
    if (id.length < prefixMin) return null;
    const [only, second] = this.#sql.prefixed.all(id, `${id}${beyond}`);
    return only === undefined || second !== undefined ? null : runRowOf(only);
  }

  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[] {
    return this.#sql.timeline.all(JSON.stringify(runIds), limit).reverse().map(timelineRowOf);
  }

  lately(since: Instant, limit: number): readonly TimelineRow[] {
    return this.#sql.lately.all(since, limit).reverse().map(timelineRowOf);
  }

  issue(identifierOrId: string): IssueRow | null {
    const row = this.#sql.issue.get({ issue: identifierOrId });
    if (row === undefined) return null;
    const id = issueId(row.id);
    return { issueId: id, identifier: row.identifier, claim: this.#claim(id), tally: this.#tally(id) };
  }

  #mark(thread: string | null): Tokens {
    const row = thread === null ? undefined : this.#sql.mark.get(thread);
    return row === undefined ? noTokens : tokensOf(row);
  }

  #claim(id: IssueId): Claim | null {
    const detail = this.#sql.claim.get(id);
    return detail === undefined ? null : (JSON.parse(detail) as Claim);
  }

  #tally(id: IssueId): Tally | null {
    const row = this.#sql.tally.get(id);
    return row === undefined ? null : tallyOf(row);
  }
}

const timelineRowOf = (row: EventColumns): TimelineRow => ({
  at: instant(row.at),
  runId: row.run_id === null ? null : runId(row.run_id),
  fact: factOf(row),
});

/** History is looked at, not relied on: a row that was damaged since must not hide the others. */
function factOf({ at, fact }: EventColumns): Fact {
  try {
    return JSON.parse(fact) as Fact;
  } catch {
    const message = "an entry of the ledger cannot be read: `baton ledger check` says more";
    return { type: "warning", message, at: instant(at) };
  }
}

interface EventColumns {
  readonly at: number;
  readonly run_id: string | null;
  readonly fact: string;
}

type RunParams = Record<"issue" | "workflow" | "outcome", string | null> & { readonly limit: number };

const prepare = (db: Database.Database) => ({
  claims: db.prepare<[], string>("SELECT detail FROM claims ORDER BY rowid").pluck(),
  claim: db.prepare<[string], string>("SELECT detail FROM claims WHERE issue_id = ?").pluck(),
  tallies: db.prepare<[], TallyColumns>("SELECT * FROM tallies"),
  tally: db.prepare<[string], TallyColumns>("SELECT * FROM tallies WHERE issue_id = ?"),
  open: db.prepare<[], RunColumns>("SELECT * FROM runs WHERE ended_at IS NULL ORDER BY started_at, rowid"),
  installation: db.prepare<[], string>("SELECT id FROM installation").pluck(),
  holds: db.prepare<[], HoldColumns>("SELECT * FROM holds"),
  pauses: db.prepare<[], PauseColumns>("SELECT * FROM pauses"),
  spent: db.prepare<[], SpentColumns>(
    "SELECT day, sum(total_tokens) AS tokens FROM spending GROUP BY day ORDER BY day DESC LIMIT 1",
  ),
  runsEver: db
    .prepare<[], number>("SELECT max(CAST(substr(id, 2) AS INTEGER)) FROM runs WHERE id GLOB 'r[0-9]*'")
    .pluck(),
  mark: db.prepare<[string], TokenColumns>(`SELECT ${tokenNames.join(", ")} FROM usage WHERE thread_id = ?`),
  run: db.prepare<[string], RunColumns>("SELECT * FROM runs WHERE id = ?"),
  prefixed: db.prepare<[string, string], RunColumns>("SELECT * FROM runs WHERE id >= ? AND id < ? LIMIT 2"),
  runs: db.prepare<RunParams, RunColumns>(`
    SELECT * FROM runs
    WHERE (@issue IS NULL OR issue_id = @issue OR identifier = @issue COLLATE NOCASE
        OR issue_id IN (SELECT id FROM issues WHERE identifier = @issue COLLATE NOCASE))
      AND (@workflow IS NULL OR workflow = @workflow)
      AND (@outcome IS NULL OR coalesce(outcome, 'running') = @outcome)
    ORDER BY started_at DESC, rowid DESC LIMIT @limit`),
  timeline: db.prepare<[string, number], EventColumns>(`
    SELECT at, run_id, fact FROM events WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?`),
  lately: db.prepare<[number, number], EventColumns>(`
    SELECT at, run_id, fact FROM events WHERE at >= ? AND run_id IS NULL ORDER BY at DESC, id DESC LIMIT ?`),
  // An identifier may have belonged to another issue before: the one seen last has it now.
  issue: db.prepare<{ issue: string }, { id: string; identifier: string }>(`
    SELECT id, identifier FROM issues WHERE id = @issue OR identifier = @issue COLLATE NOCASE
    ORDER BY id = @issue DESC, seen_at DESC LIMIT 1`),
});
