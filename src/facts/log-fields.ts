/** The ids every log line carries (SPEC 13.1), and the rest of a fact, as snake_case fields. */
import type { Fact } from "../domain/domain.ts";

/** Absent parts are undefined, which JSON leaves out. `session_id` names one turn: `<thread_id>-<turn_id>`. */
export const scopeFields = ({ workflow, issueId, identifier, runId, threadId, turnId }: Fact) => ({
  workflow,
  issue_id: issueId,
  issue_identifier: identifier,
  run_id: runId,
  thread_id: threadId,
  session_id: threadId === undefined || turnId === undefined ? undefined : `${threadId}-${turnId}`,
});

const scopeNames: ReadonlySet<string> = new Set([
  "type",
  "at",
  "workflow",
  "issueId",
  "identifier",
  "runId",
  "threadId",
  "turnId",
]);

/** Command output and hook output are in the ledger; a log line holds the beginning. */
const STRING_CHARS_MAX = 2_000;
const LIST_ITEMS_MAX = 50;

/** What is particular to the fact's type. */
export function bodyFields(fact: Fact): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fact))
    if (!scopeNames.has(name)) fields[snakeCase(name)] = field(name, value);
  return fields;
}

const snakeCase = (name: string): string =>
  /[A-Z]/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;

function field(name: string, value: unknown): unknown {
  if (typeof value === "string" && value.length > STRING_CHARS_MAX) {
    return `${value.slice(0, STRING_CHARS_MAX)} [${value.length - STRING_CHARS_MAX} more characters]`;
  }
  if (Array.isArray(value)) return value.slice(0, LIST_ITEMS_MAX).map((item: unknown) => field(name, item));
  // `limits` are the tracker's and the provider's own: their names stay as they are.
  if (typeof value !== "object" || value === null || name === "limits") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [snakeCase(key), field(key, item)]));
}
