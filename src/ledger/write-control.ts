/** Holds, pauses and orders: what people and providers have said about whole workflows. */
import type Database from "better-sqlite3";
import type { LedgerRecord } from "../scheduler/effects.ts";

type Of<T extends LedgerRecord["type"]> = Extract<LedgerRecord, { type: T }>;

export interface ControlWriter {
  hold(record: Of<"hold">): void;
  pause(record: Of<"pause">): void;
  commandDone(record: Of<"command_done">): void;
}

export function controlWriter(db: Database.Database): ControlWriter {
  const setHold = db.prepare(
    "INSERT OR REPLACE INTO holds (workflow, why, until, refusals, probe) VALUES (?, ?, ?, ?, ?)",
  );
  const endHold = db.prepare("DELETE FROM holds WHERE workflow = ?");
  const setPause = db.prepare("INSERT OR REPLACE INTO pauses (scope, why, since, until) VALUES (?, ?, ?, ?)");
  const endPause = db.prepare("DELETE FROM pauses WHERE scope = ?");
  const done = db.prepare("UPDATE commands SET done_at = ?, answer = ? WHERE id = ? AND done_at IS NULL");
  return {
    hold({ workflow, hold }) {
      if (hold === null) endHold.run(workflow);
      else setHold.run(workflow, hold.why, hold.until, hold.refusals, hold.probe);
    },
    pause({ scope, pause }) {
      if (pause === null) endPause.run(scope);
      else setPause.run(scope, pause.why, pause.since, pause.until);
    },
    commandDone({ command, answer, at }) {
      done.run(at, answer, command);
    },
  };
}
