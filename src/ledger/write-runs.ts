/**
 * Runs and their turns. A run that has ended takes no further news (I5 of docs/ARCHITECTURE.md): every change asks for
 * an open row.
 */
import type Database from "better-sqlite3";
import { highWater, type RunId } from "../domain/domain.ts";
import type { LedgerRecord } from "../scheduler/scheduler.ts";
import type { RunColumns } from "./reader-rows.ts";
import { failureColumns, type FailureColumns, noTokenColumns, tokenColumns, tokensOf } from "./row.ts";
import type { Rows, TableRows } from "./rows.ts";
import { toldWriter } from "./write-texts.ts";

type Of<T extends LedgerRecord["type"]> = Extract<LedgerRecord, { type: T }>;

export interface RunWriter {
  started(record: Of<"run_started">): void;
  launched(record: Of<"run_launched">): void;
  opened(record: Of<"thread_opened">): void;
  turnStarted(record: Of<"turn_started">): void;
  turnEnded(record: Of<"turn_ended">): void;
  ended(record: Of<"run_ended">): void;
}

/** A row of `runs`, with what only people with SQL read. */
export type WholeRun = RunColumns & FailureColumns & { readonly resumed: number | null };

interface TurnColumns extends FailureColumns {
  readonly run_id: string;
  readonly number: number;
  readonly turn_id: string;
  readonly thread_id: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly status: string | null;
  readonly message: string | null;
  /** Hash of the text it was given; null = not known. */
  readonly told: string | null;
}

export function runWriter(db: Database.Database, rows: Rows, runs: TableRows<WholeRun>): RunWriter {
  // Not by number: a turn that is told again is known by its own id.
  const turns = rows.table<TurnColumns>("turns", ["run_id", "turn_id"]);
  const keepText = toldWriter(rows);
  const openTurns = db
    .prepare<[string], string>("SELECT turn_id FROM turns WHERE run_id = ? AND ended_at IS NULL")
    .pluck();

  /** Null when it has ended. @throws when there is none */
  const openRun = (id: RunId): WholeRun | null => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`a record names run ${id}, which is not in the ledger`);
    return run.ended_at === null ? run : null;
  };
  const change = (id: RunId, changed: Partial<WholeRun>): void => {
    const run = openRun(id);
    if (run !== null) runs.put({ ...run, ...changed });
  };
  /** Those of a run that have no end, in the table or in this transaction. */
  const turnsLeft = (id: RunId): readonly TurnColumns[] => {
    const here = [...turns.touched()].filter((turn) => turn.run_id === id);
    const names = new Set([...openTurns.all(id), ...here.map((turn) => turn.turn_id)]);
    return [...names].flatMap((name) => turns.get(id, name) ?? []).filter((turn) => turn.ended_at === null);
  };
  return {
    started({ run, issue, workflowHash }) {
      if (runs.get(run.id) !== undefined) return;
      runs.put({
        ...unborn,
        id: run.id,
        issue_id: run.issueId,
        identifier: run.identifier,
        title: issue.title,
        workflow: run.workflow,
        workflow_hash: workflowHash,
        attempt: run.attempt,
        kind: run.kind,
        started_at: run.startedAt,
      });
    },
    launched: ({ runId, pid, startTicks, bootId, workspace }) =>
      change(runId, { pid, start_ticks: startTicks, boot_id: bootId, workspace }),
    opened: ({ runId, threadId, resumed }) =>
      change(runId, { thread_id: threadId, resumed: resumed ? 1 : 0 }),
    turnStarted({ runId, turnId, threadId, number, text, at }) {
      const run = openRun(runId);
      if (run === null) return;
      runs.put({ ...run, turns: Math.max(run.turns, number) });
      if (turns.get(runId, turnId) !== undefined) return;
      const begun = { run_id: runId, number, turn_id: turnId, thread_id: threadId, started_at: at };
      const told = text === undefined ? null : keepText(text, at);
      turns.put({ ...begun, ended_at: null, status: null, message: null, ...failureColumns(null), told });
    },
    turnEnded({ runId, turnId, status, failure, message, at }) {
      openRun(runId);
      const turn = turns.get(runId, turnId);
      if (turn?.ended_at === null)
        turns.put({ ...turn, ended_at: at, status, message, ...failureColumns(failure) });
    },
    ended({ runId, ending, turns: number, tokens, at }) {
      const run = openRun(runId);
      if (run === null) return;
      runs.put({
        ...run,
        ended_at: at,
        outcome: ending.outcome,
        turns: Math.max(run.turns, number),
        ...failureColumns(ending.failure),
        ...tokenColumns(highWater(tokensOf(run), tokens)),
      });
      // A turn that was under way when its run ended got no word of its own.
      for (const turn of turnsLeft(runId)) turns.put({ ...turn, ended_at: at, status: "interrupted" });
    },
  };
}

/** What a run has that has only begun: nothing. */
const unborn = {
  ended_at: null,
  outcome: null,
  ...failureColumns(null),
  pid: null,
  start_ticks: null,
  boot_id: null,
  workspace: null,
  thread_id: null,
  resumed: null,
  turns: 0,
  ...noTokenColumns,
};
