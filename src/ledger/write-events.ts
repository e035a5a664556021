/** Facts as rows. A tool call gets a row of its own besides, so that people can query what agents did to the tracker. */
import type Database from "better-sqlite3";
import type { Fact } from "../domain/fact.ts";

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
const factCharsMax = 64 * 1024;
const stringCharsMax = 4 * 1024;
const listItemsMax = 100;

export function eventRow(fact: Fact): EventRow {
  const json = JSON.stringify(fact);
  return {
    at: fact.at,
    type: fact.type,
    run_id: fact.runId ?? null,
    issue_id: fact.issueId ?? null,
    fact: json.length <= factCharsMax ? json : JSON.stringify(fact, shortened),
    tool: fact.type === "tool_called" ? fact : null,
  };
}

export function eventWriter(db: Database.Database): (row: EventRow) => void {
  const event = db.prepare(
    "INSERT INTO events (at, type, run_id, issue_id, fact) VALUES (@at, @type, @run_id, @issue_id, @fact)",
  );
  const tool = db.prepare(`
    INSERT INTO tool_calls
      (at, run_id, issue_id, call_id, tool, operation, fields, ids, complexity, ok, error, took_ms)
    VALUES (@at, @run_id, @issue_id, @call_id, @tool, @operation, @fields, @ids, @complexity, @ok, @error, @took_ms)
    ON CONFLICT (run_id, call_id) DO NOTHING`);
  return (row) => {
    const { at, type, run_id, issue_id, fact } = row;
    event.run({ at, type, run_id, issue_id, fact });
    if (row.tool !== null) tool.run({ at, run_id, issue_id, ...toolColumns(row.tool) });
  };
}

const toolColumns = (call: ToolCalled): object => ({
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
  if (typeof value === "string" && value.length > stringCharsMax) {
    return `${value.slice(0, stringCharsMax)} [${value.length - stringCharsMax} more characters]`;
  }
  return Array.isArray(value) ? value.slice(0, listItemsMax) : value;
}
