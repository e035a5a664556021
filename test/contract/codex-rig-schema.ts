/**
 * Judges what a client sends by the JSON Schema that the installed binary itself generates. Stricter than the binary: a
 * field the schema does not name is an error, because the binary would silently ignore it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { missingIn } from "../../src/agent/codex/needs.ts";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
type Validate = (message: Message) => readonly string[];
type Schema = { [key: string]: unknown };

/** Generates the schema of `binary` and returns the judge of one conversation: what is wrong with it, line by line. */
export function protocolOf(binary: string): (sent: string, received: string) => readonly string[] {
  const read = generated(binary);
  const request = validator(read("ClientRequest"));
  const notice = validator(read("ClientNotification"));
  const responses = responseValidators(read);
  return (sent, received) => {
    const asked = methodsOfServerRequests(received);
    return messages(sent).flatMap((message) => {
      if (message.method === undefined) return answerErrors(message, asked, responses);
      return (message.id === undefined ? notice : request)(message);
    });
  };
}

/** What this binary lacks of what Baton needs. */
export function lackedBy(binary: string): readonly string[] {
  const read = generated(binary);
  return missingIn({ requests: read("ClientRequest"), notices: read("ServerNotification") });
}

function generated(binary: string): (name: string) => Schema {
  const folder = mkdtempSync(join(tmpdir(), "baton-schema-"));
  try {
    execFileSync(binary, ["app-server", "generate-json-schema", "--experimental", "--out", folder]);
    const wanted = [
      "ClientRequest",
      "ClientNotification",
      "ServerRequest",
      "ServerNotification",
      "CommandExecutionRequestApprovalResponse",
      "FileChangeRequestApprovalResponse",
      "ToolRequestUserInputResponse",
      "McpServerElicitationRequestResponse",
      "PermissionsRequestApprovalResponse",
      "DynamicToolCallResponse",
      "ChatgptAuthTokensRefreshResponse",
      "AttestationGenerateResponse",
      "CurrentTimeReadResponse",
      "ApplyPatchApprovalResponse",
      "ExecCommandApprovalResponse",
    ];
    // An older release lacks some.
    const there = wanted.filter((name) => existsSync(join(folder, `${name}.json`)));
    const texts = new Map(there.map((name) => [name, readFileSync(join(folder, `${name}.json`), "utf8")]));
    return (name) => JSON.parse(texts.get(name) ?? "null") as Schema;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles a method's schema when it is first used: a session uses ten of more than a hundred. */
function validator(whole: Schema): Validate {
  const { oneOf, definitions } = closed(whole);
  const branches = new Map((oneOf as readonly Schema[]).map((branch) => [methodOf(branch), branch]));
  const compiled = new Map<string, ReturnType<Ajv["compile"]>>();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  return (message) => {
    const method = message.method ?? "";
    const branch = branches.get(method);
    if (branch === undefined) return [`${method}: the schema knows no such method`];
    const check = compiled.get(method) ?? ajv.compile({ ...branch, definitions });
    compiled.set(method, check);
    if (check(message)) return [];
    return [`${method}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(message).slice(0, 600)}`];
  };
}

const methodOf = (branch: Schema): string =>
  (branch as { properties: { method: { enum: readonly string[] } } }).properties.method.enum[0] ?? "";

/** The same schema, with objects closed that name their fields and say nothing about others. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map((part: unknown) => closed(part)) as T;
  if (schema === null || typeof schema !== "object") return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const open = "properties" in copy && !("additionalProperties" in copy) && !("oneOf" in copy);
  return (open ? { ...copy, additionalProperties: false } : copy) as T;
}

/** Each server request's params are named XParams; its response's schema is XResponse. */
function responseValidators(read: (name: string) => Schema): ReadonlyMap<string, Validate> {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const branches = read("ServerRequest")["oneOf"] as readonly Schema[];
  return new Map(
    branches.map((branch) => {
      const method = methodOf(branch);
      const { params } = branch["properties"] as { params: { $ref: string } };
      const name = params.$ref.replace("#/definitions/", "").replace("Params", "Response");
      const check = ajv.compile(closed(read(name)));
      const judge: Validate = ({ result }) =>
        check(result)
          ? []
          : [`answer to ${method}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(result)}`];
      return [method, judge];
    }),
  );
}

function answerErrors(
  message: Message,
  asked: ReadonlyMap<string | number, string>,
  judges: ReadonlyMap<string, Validate>,
): readonly string[] {
  const method = asked.get(message.id ?? "");
  if (method === undefined) return [`an answer to a request nobody made: ${JSON.stringify(message)}`];
  if (message.error !== undefined) return [];
  return judges.get(method)?.(message) ?? [`${method} was answered with a result, but its schema is unknown`];
}

/** Whole lines only: a copy that was killed with its session may end in the middle of one. */
const messages = (log: string): readonly Message[] =>
  log
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Message);

const methodsOfServerRequests = (received: string): ReadonlyMap<string | number, string> =>
  new Map(
    messages(received).flatMap(({ id, method }) =>
      id !== undefined && method !== undefined ? [[id, method] as const] : [],
    ),
  );
