/**
 * What threads have cost. A thread's mark only rises (I6); by how much it rose is added to the day it was reported on,
 * so that a repeated or late report spends nothing twice.
 */
import type Database from "better-sqlite3";
import { highWater, noTokens, spentSince } from "../domain/run.ts";
import type { Tokens } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { LedgerRecord } from "../scheduler/effects.ts";
import { tokenColumns, tokenNames, tokensOf } from "./row.ts";
import type { TokenColumns } from "./row.ts";

type UsageRecord = Extract<LedgerRecord, { type: "usage" }>;

/** The UTC day of an instant, `2031-05-09`. */
const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10);

export function usageWriter(db: Database.Database): (record: UsageRecord) => void {
  const mark = db.prepare<[string], TokenColumns>(`SELECT ${names} FROM usage WHERE thread_id = ?`);
  const workflow = db.prepare<[string], string>("SELECT workflow FROM runs WHERE id = ?").pluck();
  const raise = db.prepare(`
    INSERT OR REPLACE INTO usage (thread_id, issue_id, run_id, updated_at, ${names})
    VALUES (@thread_id, @issue_id, @run_id, @at, ${params})`);
  const spend = db.prepare(`
    INSERT INTO spending (day, workflow, ${names}) VALUES (@day, @workflow, ${params})
    ON CONFLICT (day, workflow) DO UPDATE SET ${tokenNames.map((n) => `${n} = ${n} + excluded.${n}`).join(", ")}`);
  const run = db.prepare(`
    UPDATE runs SET ${tokenNames.map((name) => `${name} = max(${name}, @${name})`).join(", ")}
    WHERE id = @id AND ended_at IS NULL`);

  return ({ runId, issueId, threadId, total, run: used, at }) => {
    const of = workflow.get(runId);
    if (of === undefined) throw new Error(`a record names run ${runId}, which is not in the ledger`);
    run.run({ id: runId, ...tokenColumns(used) });
    const row = mark.get(threadId);
    const before = row === undefined ? noTokens : tokensOf(row);
    const now = highWater(before, total);
    if (row !== undefined && isNothing(spentSince(now, before))) return;
    raise.run({ thread_id: threadId, issue_id: issueId, run_id: runId, at, ...tokenColumns(now) });
    spend.run({ day: dayOf(at), workflow: of, ...tokenColumns(spentSince(now, before)) });
  };
}

const names = tokenNames.join(", ");
const params = tokenNames.map((name) => `@${name}`).join(", ");

const isNothing = (tokens: Tokens): boolean => Object.values(tokens).every((count) => count === 0);
