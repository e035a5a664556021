/**
 * What Baton needs of a release of Codex, as its own generated schema names it (`codex app-server generate-json-schema`):
 * the requests it sends with their fields, and the notices without which a turn cannot be followed. What it can do without
 * (a thread's name, the configuration, the end of background commands) is not in it.
 */
import { createHash } from "node:crypto";
import { type Fields, fieldsOf, textOf } from "./message.ts";

/** Requests that every session sends, and the fields they carry. */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  initialize: ["clientInfo", "capabilities"],
  "thread/start": ["cwd", "approvalPolicy", "config", "dynamicTools"],
  "thread/resume": ["threadId", "cwd", "approvalPolicy", "config"],
  "turn/start": ["threadId", "input", "cwd", "approvalPolicy", "sandboxPolicy"],
  "turn/interrupt": ["threadId", "turnId"],
  "turn/steer": ["threadId", "input", "expectedTurnId"],
};

/** Notices that are read, and the fields that are read of them. */
const NOTICES: Readonly<Record<string, readonly string[]>> = {
  "turn/started": ["threadId", "turn"],
  "turn/completed": ["threadId", "turn"],
  "item/started": ["threadId", "item"],
  "item/completed": ["threadId", "item"],
  "thread/tokenUsage/updated": ["threadId", "tokenUsage"],
  error: ["threadId", "error", "willRetry"],
};

/** All of it: methods with their fields. */
export const needs = { requests: REQUESTS, notices: NOTICES };

/** Tells these needs from those of another version of Baton. */
export const NEEDS_MARK = createHash("sha256").update(JSON.stringify(needs)).digest("hex");

/** The schemas that say so: `ClientRequest.json` and `ServerNotification.json`. */
export interface Schemas {
  readonly requests: unknown;
  readonly notices: unknown;
}

/** What a release lacks of what is needed, in words; empty = nothing. */
export const missingIn = ({ requests, notices }: Schemas): readonly string[] => [
  ...lacking(REQUESTS, requests, "the request"),
  ...lacking(NOTICES, notices, "the notice"),
];

function lacking(
  needs: Readonly<Record<string, readonly string[]>>,
  schema: unknown,
  what: string,
): readonly string[] {
  const { oneOf, definitions } = fieldsOf(schema);
  const branches = new Map(
    (Array.isArray(oneOf) ? oneOf.map(fieldsOf) : []).map((branch) => [methodOf(branch), branch] as const),
  );
  return Object.entries(needs).flatMap(([method, fields]) => {
    const branch = branches.get(method);
    if (branch === undefined) return [`${what} ${method}`];
    const known = fieldsOf(paramsOf(branch, fieldsOf(definitions))["properties"]);
    return fields
      .filter((field) => !Object.hasOwn(known, field))
      .map((field) => `the field ${field} of ${what} ${method}`);
  });
}

function methodOf(branch: Fields): string {
  const names = fieldsOf(fieldsOf(branch["properties"])["method"])["enum"];
  return (Array.isArray(names) ? textOf(names[0]) : null) ?? "";
}

const REFERENCE = "#/definitions/";

function paramsOf(branch: Fields, definitions: Fields): Fields {
  const params = fieldsOf(fieldsOf(branch["properties"])["params"]);
  const reference = textOf(params["$ref"]);
  return reference === null ? params : fieldsOf(definitions[reference.slice(REFERENCE.length)]);
}
