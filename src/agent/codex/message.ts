/**
 * A line to a message. Codex speaks JSON-RPC without the `jsonrpc` member: what a line is follows from which of `id`,
 * `method`, `result` and `error` it has.
 */
import { type Fields, fieldsOf, isFields } from "../../domain/domain.ts";

export { type Fields, fieldsOf, isFields } from "../../domain/domain.ts";

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

export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Names of threads, turns and items: Codex's have 36 characters. */
const ID_CHARS_MAX = 200;

/** A text that can be a name; null when it is empty, or longer than a name can be. */
export const idOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= ID_CHARS_MAX ? value : null;

export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const isId = (value: unknown): value is RequestId => typeof value === "string" || typeof value === "number";

/**
 * Codex nests about ten deep. What walks over a value calls itself for each level, as `JSON.stringify` does, and some
 * thousands of them are the end of the stack.
 */
const DEPTH_MAX = 1000;

/**
 * Members and entries of one message. Parsed, each takes ten times its room on the line and more: without this bound a
 * line of the allowed length could take all memory there is. Codex's have some hundreds, and long texts.
 */
const PARTS_MAX = 500_000;

/** Shorter lines can be neither that deep nor that wide: a level costs two characters at least. */
const SHORT_CHARS = 2 * DEPTH_MAX;

/** Reads one line. Never throws: what is not a message is `malformed` and says why. */
export function parseMessage(line: string): Message {
  const error = line.length > SHORT_CHARS ? excessOf(line) : null;
  if (error !== null) return { kind: "malformed", error };
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

/** What the line has too much of to be parsed; null when it has not. Looks at what stands outside of texts alone. */
function excessOf(line: string): string | null {
  let [depth, parts] = [0, 0];
  for (let at = 0; at < line.length; at++) {
    switch (line.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(line, at);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        parts++;
        if (++depth > DEPTH_MAX) return `nested more than ${DEPTH_MAX} levels deep`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth--;
        break;
      case COMMA:
        if (++parts > PARTS_MAX) return `more than ${PARTS_MAX} parts`;
    }
  }
  return null;
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA, BACKSLASH] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x5c,
];

/** Where the text that begins here ends: at its quote, or with the line. */
function endOfText(line: string, start: number): number {
  let at = line.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(line, at)) at = line.indexOf('"', at + 1);
  return at < 0 ? line.length : at;
}

/** Whether the backslashes before it are of an odd number. */
function isEscaped(line: string, quote: number): boolean {
  let before = quote;
  while (line.charCodeAt(before - 1) === BACKSLASH) before--;
  return (quote - before) % 2 === 1;
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
