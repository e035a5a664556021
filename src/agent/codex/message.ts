/**
 * A line to a message. Codex speaks JSON-RPC without the `jsonrpc` member: what a line is follows from which of `id`,
 * `method`, `result` and `error` it has.
 */

/** Codex uses strings and integers; whatever a request carries is what its answer must carry. */
export type RequestId = string | number;

export interface RpcFault {
  readonly code: number | null;
  readonly message: string;
  readonly data: unknown;
}

export type Message =
  | { readonly kind: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "fault"; readonly id: RequestId | null; readonly fault: RpcFault }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields }
  | { readonly kind: "malformed"; readonly error: string };

/** A JSON object whose members have not been looked at. */
export type Fields = { readonly [name: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as an object; anything else counts as an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const isId = (value: unknown): value is RequestId => typeof value === "string" || typeof value === "number";

/** Reads one line. Never throws: what is not a message is `malformed` and says why. */
export function parseMessage(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return {
      kind: "malformed",
      error: `not JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  return isFields(value) ? messageOf(value) : { kind: "malformed", error: "not a JSON object" };
}

function messageOf(value: Fields): Message {
  const { id, method } = value;
  if (typeof method === "string") {
    const params = fieldsOf(value["params"]);
    if (isId(id)) return { kind: "request", id, method, params };
    if (id === undefined || id === null) return { kind: "notification", method, params };
    return { kind: "malformed", error: "a request whose id is neither text nor number" };
  }
  if ("error" in value && value["error"] !== null) {
    return { kind: "fault", id: isId(id) ? id : null, fault: faultOf(value["error"]) };
  }
  if (isId(id) && "result" in value) return { kind: "result", id, result: value["result"] };
  return { kind: "malformed", error: "neither a request, a notification nor an answer" };
}

function faultOf(error: unknown): RpcFault {
  const { code, message, data } = fieldsOf(error);
  return { code: numberOf(code), message: textOf(message) ?? JSON.stringify(error), data };
}

const NOTIFICATION_START = Buffer.from('{"method":"');
const QUOTE = 0x22;
/** `delta` and `Delta`, from the end, without the letter whose case varies. */
const ELTA = [0x61, 0x74, 0x6c, 0x65];

/** No method is longer; beyond it the line is not one that begins with its method. */
const METHOD_BYTES_MAX = 100;

/**
 * Whether the line is a piece of streamed text: a notification whose method ends in `delta` or `Delta`. Decided on the
 * bytes alone: a busy turn brings thousands of these a second, and none of them says anything but "alive". Codex writes
 * `method` first; a line that does not begin so is parsed like any other, and dropped later.
 */
export function isDeltaLine(bytes: Buffer, start: number, end: number): boolean {
  let at = start + NOTIFICATION_START.length;
  if (at >= end) return false;
  for (let i = 0; i < NOTIFICATION_START.length; i++) {
    if (bytes[start + i] !== NOTIFICATION_START[i]) return false;
  }
  const stop = Math.min(end, at + METHOD_BYTES_MAX);
  while (at < stop && bytes[at] !== QUOTE) at++;
  return at < stop && endsInDelta(bytes, at - 1) && !hasId(bytes, at + 1);
}

function endsInDelta(bytes: Buffer, last: number): boolean {
  for (let i = 0; i < ELTA.length; i++) if (bytes[last - i] !== ELTA[i]) return false;
  const first = bytes[last - ELTA.length];
  return first === 0x64 || first === 0x44;
}

const ID = Buffer.from(',"id":');

/** A request wants an answer, whatever its method is called: Codex writes `id` right after `method`. */
function hasId(bytes: Buffer, at: number): boolean {
  for (let i = 0; i < ID.length; i++) if (bytes[at + i] !== ID[i]) return false;
  return true;
}

/** How the method of a delta reads in a message that was parsed after all. */
export const isDelta = (method: string): boolean => /[dD]elta$/.test(method);
