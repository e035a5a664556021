/**
 * What threads have cost. A thread's mark only rises (I6 of docs/ARCHITECTURE.md); by how much it rose is added to the
 * day it was reported on, so that a repeated or late report spends nothing twice.
 */
import { addTokens, highWater, type Instant, noTokens, spentSince, type Tokens } from "../domain/domain.ts";
import type { LedgerRecord } from "../scheduler/scheduler.ts";
import { tokenColumns, type TokenColumns, tokensOf } from "./row.ts";
import type { Rows, TableRows } from "./rows.ts";
import type { WholeRun } from "./write-runs.ts";

type UsageRecord = Extract<LedgerRecord, { type: "usage" }>;

interface MarkColumns extends TokenColumns {
  readonly thread_id: string;
  readonly issue_id: string;
  readonly run_id: string;
  readonly updated_at: number;
}

interface DayColumns extends TokenColumns {
  readonly day: string;
  readonly workflow: string;
}

/** The UTC day of an instant, `2031-05-09`. */
const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10);

export function usageWriter(rows: Rows, runs: TableRows<WholeRun>): (record: UsageRecord) => void {
  const marks = rows.table<MarkColumns>("usage", ["thread_id"]);
  const days = rows.table<DayColumns>("spending", ["day", "workflow"]);
  return ({ runId, issueId, threadId, total, run: used, at }) => {
    const run = runs.get(runId);
    if (run === undefined) throw new Error(`a record names run ${runId}, which is not in the ledger`);
    if (run.ended_at === null) runs.put({ ...run, ...tokenColumns(highWater(tokensOf(run), used)) });
    const row = marks.get(threadId);
    const before = row === undefined ? noTokens : tokensOf(row);
    const now = highWater(before, total);
    const spent = spentSince(now, before);
    if (row !== undefined && isNothing(spent)) return;
    const mark = { thread_id: threadId, issue_id: issueId, run_id: runId, updated_at: at };
    marks.put({ ...mark, ...tokenColumns(now) });
    const [day, { workflow }] = [dayOf(at), run];
    const booked = days.get(day, workflow);
    const sum = booked === undefined ? spent : addTokens(tokensOf(booked), spent);
    days.put({ day, workflow, ...tokenColumns(sum) });
  };
}

const isNothing = (tokens: Tokens): boolean => Object.values(tokens).every((count) => count === 0);
