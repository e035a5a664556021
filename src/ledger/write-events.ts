/** Facts as rows. A tool call gets a row of its own besides, so that people can query what agents did to the tracker. */
import type Database from "better-sqlite3";
import type { Fact } from "../domain/domain.ts";
import type { Rows } from "./rows.ts";

type ToolCalled = Extract<Fact, { type: "tool_called" }>;

/** A fact ready to be written: made when the fact arrives, so that later changes cannot reach it. */
export interface EventRow {
  readonly at: number;
  readonly type: string;
  readonly run_id: string | null;
  readonly issue_id: string | null;
  readonly fact: string;
  readonly tool: ToolCalled | null;
}

/** A fact longer than this loses the tails of its strings and lists: one flood must not fill the ledger. */
const FACT_CHARS_MAX = 64 * 1024;
const STRING_CHARS_MAX = 4 * 1024;
const LIST_ITEMS_MAX = 100;

export function eventRow(fact: Fact): EventRow {
  const json = JSON.stringify(fact);
  return {
    at: fact.at,
    type: fact.type,
    run_id: fact.runId ?? null,
    issue_id: fact.issueId ?? null,
    fact: json.length <= FACT_CHARS_MAX ? json : JSON.stringify(fact, shortened),
    tool: fact.type === "tool_called" ? fact : null,
  };
}

interface EventColumns {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly run_id: string | null;
  readonly issue_id: string | null;
  readonly fact: string;
}

interface ToolColumns {
  readonly id: number;
  readonly at: number;
  readonly run_id: string | null;
  readonly issue_id: string | null;
  readonly call_id: string;
  readonly tool: string;
  readonly operation: string | null;
  readonly fields: string;
  readonly ids: string;
  readonly complexity: number | null;
  readonly ok: number;
  readonly error: string | null;
  readonly took_ms: number;
}

export function eventWriter(db: Database.Database, rows: Rows): (row: EventRow) => void {
  const events = rows.table<EventColumns>("events", ["id"]);
  const tools = rows.table<ToolColumns>("tool_calls", ["id"]);
  const known = db.prepare<[string, string]>("SELECT 1 FROM tool_calls WHERE run_id = ? AND call_id = ?");
  return ({ at, type, run_id, issue_id, fact, tool }) => {
    events.append((id) => ({ id, at, type, run_id, issue_id, fact }));
    if (tool === null) return;
    // Its fact may be appended and committed: the call is one.
    if (run_id !== null && known.get(run_id, tool.callId) !== undefined) return;
    tools.append((id) => ({ id, at, run_id, issue_id, ...toolColumns(tool) }));
  };
}

const toolColumns = (call: ToolCalled): Omit<ToolColumns, "id" | "at" | "run_id" | "issue_id"> => ({
  call_id: call.callId,
  tool: call.tool,
  operation: call.operation,
  fields: JSON.stringify(call.fields),
  ids: JSON.stringify(call.ids),
  complexity: call.complexity,
  ok: call.ok ? 1 : 0,
  error: call.error,
  took_ms: call.tookMs,
});

function shortened(_key: string, value: unknown): unknown {
  if (typeof value === "string" && value.length > STRING_CHARS_MAX) {
    return `${value.slice(0, STRING_CHARS_MAX)} [${value.length - STRING_CHARS_MAX} more characters]`;
  }
  return Array.isArray(value) ? value.slice(0, LIST_ITEMS_MAX) : value;
}
