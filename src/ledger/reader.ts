/** The questions people and a start ask of the tables. Reads only. */
import type Database from "better-sqlite3";
import {
  instant,
  type Instant,
  issueId,
  type IssueId,
  noTokens,
  runId,
  type RunId,
  type Tokens,
  type WaitingOrder,
} from "../domain/domain.ts";
import type { Claim, Tally } from "../scheduler/scheduler.ts";
import { parseClaim } from "./claim-text.ts";
import { parseOrder } from "./order-text.ts";
import { parseFact } from "./fact-text.ts";
import type { IssueRow, RunFilter, RunRow, Saved, TimelineRow, ToldRow, WorkflowText } from "./port.ts";
import { Unfit } from "./parse.ts";
import { type TokenColumns, tokenNames, tokensOf } from "./row.ts";
import { openRunOf, type RunColumns, runRowOf, type TallyColumns, tallyOf } from "./reader-rows.ts";
import {
  type HoldColumns,
  holdOf,
  type PauseColumns,
  pauseOf,
  type SpentColumns,
  spentOf,
} from "./reader-control.ts";
import { type RefusalsColumns, refusalsOf } from "./refusals-text.ts";

/** A shorter prefix of a run id would mostly fit several. */
export const PREFIX_MIN = 4;

/** After every character an id can begin its rest with: closes the range of a prefix. */
const beyond = "\u{10ffff}";

export class Reader {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#sql = prepare(db);
  }

  installation(): string {
    return this.#sql.installation.get() ?? "";
  }

  load(): Saved {
    return {
      claims: this.#sql.claims.all().map(claimOf),
      tallies: new Map(this.#sql.tallies.all().map((row) => [issueId(row.issue_id), tallyOf(row)])),
      installation: this.installation(),
      runsEver: this.#sql.runsEver.get() ?? 0,
      holds: new Map(this.#sql.holds.all().map(holdOf)),
      pauses: new Map(this.#sql.pauses.all().map(pauseOf)),
      refusals: new Map(this.#sql.refusals.all().map(refusalsOf)),
      spent: spentOf(this.#sql.spent.get()),
      open: this.#sql.open.all().map((row) => openRunOf(row, this.mark(row.thread_id))),
    };
  }

  runs(filter: RunFilter): readonly RunRow[] {
    const { issue, workflow = null, outcome = null, limit } = filter;
    const rest = { workflow, outcome, limit };
    if (issue !== undefined) return this.#sql.runsOfIssue.all({ issue, ...rest }).map(runRowOf);
    if (outcome === "running") return this.#sql.openRuns.all(rest).map(runRowOf);
    return this.#sql.runs.all(rest).map(runRowOf);
  }

  run(id: string): RunRow | null {
    const whole = this.#sql.run.get(id);
    if (whole !== undefined) return runRowOf(whole);
    if (id.length < PREFIX_MIN) return null;
    const [only, second] = this.#sql.prefixed.all(id, `${id}${beyond}`);
    return only === undefined || second !== undefined ? null : runRowOf(only);
  }

  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[] {
    return this.#sql.timeline.all(JSON.stringify(runIds), limit).map(timelineRowOf);
  }

  told(run: RunId): readonly ToldRow[] {
    return this.#sql.told.all(run).map(({ number, started_at, text }) => ({
      turn: number,
      at: instant(started_at),
      text,
    }));
  }

  besides(issue: IssueId, limit: number): readonly TimelineRow[] {
    return this.#sql.besides.all(issue, limit).reverse().map(timelineRowOf);
  }

  lately(since: Instant, limit: number): readonly TimelineRow[] {
    return this.#sql.lately.all(since, limit).reverse().map(timelineRowOf);
  }

  mark(thread: string | null): Tokens {
    const row = thread === null ? undefined : this.#sql.mark.get(thread);
    return row === undefined ? noTokens : tokensOf(row);
  }

  workflowText(path: string, hash: string | null): WorkflowText | null {
    return this.#sql.workflowText.get({ path, hash }) ?? null;
  }

  issue(identifierOrId: string): IssueRow | null {
    const row = this.#sql.issue.get({ issue: identifierOrId });
    if (row === undefined) return null;
    const id = issueId(row.id);
    const { identifier, title, state, url } = row;
    return { issueId: id, identifier, title, state, url, claim: this.#claim(id), tally: this.#tally(id) };
  }

  /** Those given and not obeyed yet that can be read, oldest first. */
  orders(): readonly WaitingOrder[] {
    return this.#sql.orders.all().flatMap(({ id, body }) => {
      const order = parseOrder(body);
      return order instanceof Unfit ? [] : [{ id, order }];
    });
  }

  #claim(id: IssueId): Claim | null {
    const detail = this.#sql.claim.get(id);
    return detail === undefined ? null : claimOf(detail);
  }

  #tally(id: IssueId): Tally | null {
    const row = this.#sql.tally.get(id);
    return row === undefined ? null : tallyOf(row);
  }
}

/** @throws Error: what a daemon goes on from must not be half understood. */
function claimOf(detail: string): Claim {
  try {
    return parseClaim(detail);
  } catch (error) {
    if (error instanceof Unfit)
      throw new Error(`a claim cannot be read, it${error.message}`, { cause: error });
    throw error;
  }
}

const timelineRowOf = (row: EventColumns): TimelineRow => ({
  at: instant(row.at),
  runId: row.run_id === null ? null : runId(row.run_id),
  fact: parseFact(row.fact, row.at),
});

interface SeenColumns {
  readonly id: string;
  readonly identifier: string;
  readonly title: string | null;
  readonly state: string | null;
  readonly url: string | null;
}

interface EventColumns {
  readonly id: number;
  readonly at: number;
  readonly run_id: string | null;
  readonly fact: string;
}

type RunParams = Record<"workflow" | "outcome", string | null> & { readonly limit: number };

const ofThese = `(@workflow IS NULL OR workflow = @workflow)
      AND (@outcome IS NULL OR coalesce(outcome, 'running') = @outcome)
    ORDER BY started_at DESC, rowid DESC LIMIT @limit`;

const prepare = (db: Database.Database) => ({
  claims: db.prepare<[], string>("SELECT detail FROM claims ORDER BY rowid").pluck(),
  claim: db.prepare<[string], string>("SELECT detail FROM claims WHERE issue_id = ?").pluck(),
  tallies: db.prepare<[], TallyColumns>("SELECT * FROM tallies"),
  tally: db.prepare<[string], TallyColumns>("SELECT * FROM tallies WHERE issue_id = ?"),
  // Named, because without it the index by start would do for the order, and all that ever ran would be read.
  open: db.prepare<[], RunColumns>(
    "SELECT * FROM runs INDEXED BY one_open_run WHERE ended_at IS NULL ORDER BY started_at, rowid",
  ),
  installation: db.prepare<[], string>("SELECT id FROM installation").pluck(),
  holds: db.prepare<[], HoldColumns>("SELECT * FROM holds"),
  pauses: db.prepare<[], PauseColumns>("SELECT * FROM pauses"),
  orders: db.prepare<[], { readonly id: number; readonly body: string }>(
    "SELECT id, body FROM orders WHERE done_at IS NULL ORDER BY id",
  ),
  refusals: db.prepare<[], RefusalsColumns>("SELECT * FROM refusals"),
  spent: db.prepare<[], SpentColumns>(
    "SELECT day, sum(total_tokens) AS tokens FROM spending WHERE day = (SELECT max(day) FROM spending) GROUP BY day",
  ),
  runsEver: db
    .prepare<[], number>("SELECT max(CAST(substr(id, 2) AS INTEGER)) FROM runs WHERE id GLOB 'r[0-9]*'")
    .pluck(),
  mark: db.prepare<[string], TokenColumns>(`SELECT ${tokenNames.join(", ")} FROM usage WHERE thread_id = ?`),
  run: db.prepare<[string], RunColumns>("SELECT * FROM runs WHERE id = ?"),
  prefixed: db.prepare<[string, string], RunColumns>("SELECT * FROM runs WHERE id >= ? AND id < ? LIMIT 2"),
  runs: db.prepare<RunParams, RunColumns>(`SELECT * FROM runs WHERE ${ofThese}`),
  openRuns: db.prepare<RunParams, RunColumns>(
    `SELECT * FROM runs INDEXED BY one_open_run WHERE ended_at IS NULL AND ${ofThese}`,
  ),
  // An identifier may have been another issue's, and an issue may have had another one.
  runsOfIssue: db.prepare<RunParams & { readonly issue: string }, RunColumns>(`
    SELECT * FROM runs INDEXED BY runs_by_issue WHERE issue_id IN (
      SELECT @issue UNION SELECT id FROM issues WHERE identifier = @issue COLLATE NOCASE
      UNION SELECT issue_id FROM runs WHERE identifier = @issue COLLATE NOCASE)
      AND (issue_id = @issue OR identifier = @issue COLLATE NOCASE
        OR issue_id IN (SELECT id FROM issues WHERE identifier = @issue COLLATE NOCASE))
      AND ${ofThese}`),
  // The ids are put in order, not the rows: what many runs have said may be a hundred megabytes.
  timeline: db.prepare<[string, number], EventColumns>(`
    SELECT at, run_id, fact FROM events WHERE id IN (
      SELECT id FROM events INDEXED BY events_by_run
      WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?)
    ORDER BY id`),
  told: db.prepare<[string], { number: number; started_at: number; text: string | null }>(`
    SELECT number, started_at, text FROM turns LEFT JOIN texts ON texts.hash = turns.told
    WHERE run_id = ? ORDER BY number`),
  besides: db.prepare<[string, number], EventColumns>(`
    SELECT at, run_id, fact FROM events INDEXED BY events_besides WHERE issue_id = ? AND run_id IS NULL
    ORDER BY id DESC LIMIT ?`),
  lately: db.prepare<[number, number], EventColumns>(`
    SELECT at, run_id, fact FROM events INDEXED BY events_apart WHERE at >= ? AND run_id IS NULL
    ORDER BY at DESC, id DESC LIMIT ?`),
  workflowText: db.prepare<{ path: string; hash: string | null }, WorkflowText>(`
    SELECT hash, text FROM workflows WHERE hash = @hash OR path = @path
    ORDER BY hash IS @hash DESC, first_seen DESC LIMIT 1`),
  // An identifier may have belonged to another issue before: the one seen last has it now.
  issue: db.prepare<{ issue: string }, SeenColumns>(`
    SELECT id, identifier, title, state, url FROM (
      SELECT 1 AS by_id, * FROM issues WHERE id = @issue
      UNION ALL SELECT 0 AS by_id, * FROM issues WHERE identifier = @issue COLLATE NOCASE)
    ORDER BY by_id DESC, seen_at DESC LIMIT 1`),
});
