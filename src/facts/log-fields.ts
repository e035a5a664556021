/** The ids every log line carries (SPEC 13.1), and the rest of a fact, as snake_case fields. */
import type { Fact } from "../domain/fact.ts";

/** Absent parts are left out. `session_id` names one turn: `<thread_id>-<turn_id>`. */
export interface ScopeFields {
  readonly workflow?: string;
  readonly issue_id?: string;
  readonly issue_identifier?: string;
  readonly run_id?: string;
  readonly thread_id?: string;
  readonly session_id?: string;
}

export function scopeFields({ workflow, issueId, identifier, runId, threadId, turnId }: Fact): ScopeFields {
  return {
    ...(workflow === undefined ? {} : { workflow }),
    ...(issueId === undefined ? {} : { issue_id: issueId }),
    ...(identifier === undefined ? {} : { issue_identifier: identifier }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    ...(threadId === undefined || turnId === undefined ? {} : { session_id: `${threadId}-${turnId}` }),
  };
}

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
const stringCharsMax = 2_000;
const listItemsMax = 50;

/** What is particular to the fact's type. */
export function bodyFields(fact: Fact): Readonly<Record<string, unknown>> {
  const body = Object.entries(fact).filter(([name]) => !scopeNames.has(name));
  return Object.fromEntries(body.map(([name, value]) => [snakeCase(name), field(name, value)]));
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function field(name: string, value: unknown): unknown {
  if (typeof value === "string" && value.length > stringCharsMax) {
    return `${value.slice(0, stringCharsMax)} [${value.length - stringCharsMax} more characters]`;
  }
  if (Array.isArray(value)) return value.slice(0, listItemsMax).map((item: unknown) => field(name, item));
  // `limits` are the tracker's and the provider's own: their names stay as they are.
  if (typeof value !== "object" || value === null || name === "limits") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [snakeCase(key), field(key, item)]));
}
