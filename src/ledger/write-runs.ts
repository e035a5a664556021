/** Runs and their turns. A run that has ended takes no further news (I5): every change asks for an open row. */
import type Database from "better-sqlite3";
import type { RunId } from "../domain/run.ts";
import type { LedgerRecord } from "../scheduler/effects.ts";
import { failureColumns, tokenColumns, tokenNames } from "./row.ts";

type Of<T extends LedgerRecord["type"]> = Extract<LedgerRecord, { type: T }>;

export interface RunWriter {
  started(record: Of<"run_started">): void;
  launched(record: Of<"run_launched">): void;
  opened(record: Of<"thread_opened">): void;
  turnStarted(record: Of<"turn_started">): void;
  turnEnded(record: Of<"turn_ended">): void;
  ended(record: Of<"run_ended">): void;
}

export function runWriter(db: Database.Database): RunWriter {
  const sql = prepare(db);
  const known = (runId: RunId, { changes }: Database.RunResult): boolean => {
    if (changes > 0) return true;
    if (sql.known.get(runId) !== undefined) return false;
    throw new Error(`a record names run ${runId}, which is not in the ledger`);
  };
  return {
    started({ run, issue, workflowHash }) {
      // Asked first: the index of open runs may not be what notices a repeated record of a run that has ended.
      if (sql.known.get(run.id) !== undefined) return;
      sql.started.run({
        id: run.id,
        issue_id: run.issueId,
        identifier: run.identifier,
        workflow: run.workflow,
        attempt: run.attempt,
        kind: run.kind,
        started_at: run.startedAt,
        title: issue.title,
        workflow_hash: workflowHash,
      });
    },
    launched({ runId, pid, startTicks, bootId, workspace }) {
      known(runId, sql.launched.run(pid, startTicks, bootId, workspace, runId));
    },
    opened({ runId, threadId, resumed }) {
      known(runId, sql.opened.run(threadId, resumed ? 1 : 0, runId));
    },
    turnStarted({ runId, turnId, threadId, number, at }) {
      known(runId, sql.counted.run(number, runId));
      sql.turnStarted.run(number, turnId, threadId, at, runId);
    },
    turnEnded({ runId, turnId, status, failure, message, at }) {
      const columns = { run_id: runId, turn_id: turnId, status, message, at, ...failureColumns(failure) };
      known(runId, sql.turnEnded.run(columns));
    },
    ended({ runId, ending, turns, tokens, at }) {
      const columns = { id: runId, at, turns, outcome: ending.outcome, ...tokenColumns(tokens) };
      if (!known(runId, sql.ended.run({ ...columns, ...failureColumns(ending.failure) }))) return;
      sql.turnsCut.run(at, runId);
    },
  };
}

const prepare = (db: Database.Database) => ({
  known: db.prepare<[string]>("SELECT 1 FROM runs WHERE id = ?"),
  started: db.prepare(`
    INSERT INTO runs (id, issue_id, identifier, title, workflow, workflow_hash, attempt, kind, started_at)
    VALUES (@id, @issue_id, @identifier, @title, @workflow, @workflow_hash, @attempt, @kind, @started_at)`),
  launched: db.prepare<[number, number | null, string | null, string, string]>(
    "UPDATE runs SET pid = ?, start_ticks = ?, boot_id = ?, workspace = ? WHERE id = ? AND ended_at IS NULL",
  ),
  opened: db.prepare<[string, number, string]>(
    "UPDATE runs SET thread_id = ?, resumed = ? WHERE id = ? AND ended_at IS NULL",
  ),
  counted: db.prepare<[number, string]>(
    "UPDATE runs SET turns = max(turns, ?) WHERE id = ? AND ended_at IS NULL",
  ),
  turnStarted: db.prepare<[number, string, string, number, string]>(`
    INSERT INTO turns (run_id, number, turn_id, thread_id, started_at)
    SELECT id, ?, ?, ?, ? FROM runs WHERE id = ? AND ended_at IS NULL
    ON CONFLICT (run_id, turn_id) DO NOTHING`),
  turnEnded: db.prepare(`
    UPDATE turns SET ended_at = @at, status = @status, message = @message,
      failure_kind = @failure_kind, error = @error, failure = @failure
    WHERE run_id = @run_id AND turn_id = @turn_id AND ended_at IS NULL`),
  ended: db.prepare(`
    UPDATE runs SET ended_at = @at, outcome = @outcome, turns = max(turns, @turns),
      failure_kind = @failure_kind, error = @error, failure = @failure,
      ${tokenNames.map((name) => `${name} = max(${name}, @${name})`).join(", ")}
    WHERE id = @id AND ended_at IS NULL`),
  // A turn that was under way when its run ended got no word of its own.
  turnsCut: db.prepare<[number, string]>(
    "UPDATE turns SET ended_at = ?, status = 'interrupted' WHERE run_id = ? AND ended_at IS NULL",
  ),
});
