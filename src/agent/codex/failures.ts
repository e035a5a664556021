/** What Codex, its provider or its process said, as one of our failures, with something to do about it. */
import { constants } from "node:os";
import { failure, type Failure, type FailureKind } from "../../domain/domain.ts";
import { type Fields, fieldsOf, isFields, numberOf, textOf } from "./message.ts";
import type { ProcessEnd } from "./process.ts";
import type { Answer } from "./rpc.ts";

const { signals } = constants;

/** Provider messages may be a whole response body. */
const MESSAGE_CHARS_MAX = 1000;

/** Whatever comes with a message, for the reader who wants to know more. */
const DETAIL_CHARS_MAX = 4096;

/** A text of readable length; null when it is none. */
export const shortTextOf = (value: unknown): string | null =>
  typeof value === "string" ? cut(value, DETAIL_CHARS_MAX) : null;

/** Cuts a text to a readable length. */
export const cut = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;

const kindOfCode: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    contextWindowExceeded: "context_window_exceeded",
    usageLimitExceeded: "usage_limit",
    rateLimitExceeded: "rate_limited",
    serverOverloaded: "provider_overloaded",
    flexUnavailable: "provider_overloaded",
    policyCapacityUnavailable: "provider_overloaded",
    internalServerError: "provider_overloaded",
    modelNotFound: "model_not_found",
    badRequest: "invalid_request",
    cyberPolicy: "content_refused",
    misalignmentPolicyViolation: "content_refused",
    inferenceHookDenied: "content_refused",
    unauthorized: "unauthorized",
    httpConnectionFailed: "provider_unreachable",
    responseStreamConnectionFailed: "provider_unreachable",
    responseStreamDisconnected: "provider_unreachable",
    responseTooManyFailedAttempts: "provider_unreachable",
  } as const),
);

const hintOf: { readonly [kind in FailureKind]?: string } = {
  usage_limit: "Wait for the reset, or use another account.",
  unauthorized:
    "Run `codex login` as the user Baton runs as. A key in a variable has to be named in codex.env_provider.",
  model_not_found: "Check codex.model and the model of Codex's own config.toml.",
  invalid_request:
    "The history of the thread may be what the provider refuses; after two of these it is given up.",
  context_window_exceeded: "The next turn compacts the thread first; a shorter prompt helps too.",
  provider_unreachable: "Check the network and the provider's base_url; `codex doctor` looks at both.",
};

/** The provider's error of a turn or a request: `{message, codexErrorInfo, additionalDetails}` in either spelling. */
export function providerFailure(error: unknown, resetsAt: number | null): Failure {
  const fields = fieldsOf(error);
  const message = textOf(fields["message"]) ?? textOf(error) ?? "Codex gave no reason";
  const kind = kindOf(fields["codexErrorInfo"] ?? fields["codex_error_info"], message);
  return failure(kind, `The turn failed: ${cut(message, MESSAGE_CHARS_MAX)}`, {
    hint: hintOf[kind] ?? null,
    detail: shortTextOf(fields["additionalDetails"] ?? fields["additional_details"]),
    resetsAt: kind === "usage_limit" ? resetsAt : null,
  });
}

/** A name, or an object of one member whose value may hold an HTTP status. New names are to be expected. */
function kindOf(info: unknown, message: string): FailureKind {
  const [code, details] = codeOf(info);
  const status = numberOf(details["httpStatusCode"] ?? details["http_status_code"]);
  // Releases before 0.169 have no word of their own for it.
  if (status === 404 && message.includes("model_not_found")) return "model_not_found";
  return (status === null ? null : kindOfStatus(status)) ?? kindOfCode.get(code) ?? kindOfMessage(message);
}

function codeOf(info: unknown): readonly [string, Fields] {
  if (typeof info === "string") return [camelCase(info), {}];
  if (!isFields(info)) return ["other", {}];
  const { type } = info;
  if (typeof type === "string") return [camelCase(type), info];
  const [name = "other", details] = Object.entries(info)[0] ?? [];
  return [camelCase(name), fieldsOf(details)];
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function kindOfStatus(status: number): FailureKind | null {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 429) return "rate_limited";
  if (status === 404 || status === 502 || status === 504) return "provider_unreachable";
  if (status >= 500) return "provider_overloaded";
  return status >= 400 ? "turn_failed" : null;
}

/** What releases before 0.160 or so say of an answer that is none of the provider's own errors. */
const HTTP_STATUS = /^unexpected status (\d{3})\b/;

/** What the provider calls a request that it would refuse at any other time too. */
const INVALID = /invalid_(?:request|prompt)/;

/** `other` is a bag; some of its contents are known by their words. */
function kindOfMessage(message: string): FailureKind {
  const status = HTTP_STATUS.exec(message)?.[1];
  if (status !== undefined) {
    if (message.includes("model_not_found")) return "model_not_found";
    if (status === "400" && INVALID.test(message)) return "invalid_request";
    return kindOfStatus(Number(status)) ?? "turn_failed";
  }
  // The model came to the end of what it may say, which is no trouble of the connection.
  if (message.includes("Incomplete response returned, reason: max_output_tokens")) return "turn_failed";
  if (message.startsWith("stream disconnected before completion")) return "provider_unreachable";
  if (message.startsWith("Missing environment variable")) return "unauthorized";
  return INVALID.test(message) ? "invalid_request" : "turn_failed";
}

/**
 * What happened while a thread of before was being resumed: it may be the thread's, where the same at another time would be
 * Codex's.
 */
export const whileResuming = (why: Failure): Failure =>
  why.kind === "port_exit" || why.kind === "response_timeout" ? { ...why, kind: "resume_failed" } : why;

/** A request that was refused or not answered. `what` completes "Codex did not ...". */
export function requestFailure(answer: Extract<Answer, { ok: false }>, what: string): Failure {
  const message = `Codex did not ${what}: ${cut(answer.message, MESSAGE_CHARS_MAX)}`;
  if (fieldsOf(answer.data)["input_error_code"] === "input_too_large") {
    return failure("input_too_large", message, {
      hint: "Codex takes 1,048,576 characters. Shorten the prompt, or cut the issue's description in it.",
    });
  }
  switch (answer.cause) {
    case "timeout":
      return failure("response_timeout", message, { hint: "Raise codex.read_timeout_ms on a slow machine." });
    case "closed":
      return failure("port_exit", message);
    case "refused":
      return failure("response_error", message);
  }
}

/** bash's own exit codes for a program that is not there, or not a program. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** A shell whose program died of a signal ends with this and the signal's number. */
const SIGNAL_CODES = 128;

/** How far the conversation with a process had come. */
export type Stage = keyof typeof WHERE;

const WHERE = {
  silent: "before it answered `initialize`",
  opening: "while its thread was being opened",
  turn: "in the middle of a turn",
  idle: "between two turns",
} as const;

/** The process ended without having been asked to. */
export function exitFailure(end: ProcessEnd, stage: Stage, command: string, stderr: string): Failure {
  if (end.error !== null) return notStarted(end.error);
  const detail = stderr === "" ? null : stderr;
  if (stage === "silent" && (end.code === NOT_FOUND || end.code === NOT_EXECUTABLE)) {
    return notRun(end.code, command, detail);
  }
  const signal = end.signal ?? signalOf(end.code);
  if (signal !== null) return killed(signal, WHERE[stage], end.memoryShort, detail);
  return failure("port_exit", `The agent's process ended by itself ${WHERE[stage]}, with code ${end.code}.`, {
    detail,
    hint:
      stage === "silent" || stage === "opening"
        ? `Run \`${command}\` by hand as the user Baton runs as: it has to wait for input, and not to end.`
        : "Its last words say why, if it had any; `codex doctor` looks at its installation.",
  });
}

function notRun(code: number, command: string, detail: string | null): Failure {
  const [what, todo] =
    code === NOT_FOUND
      ? ["was not found", "Install Codex (`npm install -g @openai/codex`), or give codex.command"]
      : ["may not be executed", "Make it executable (`chmod +x`), or give codex.command another program"];
  return failure("codex_not_found", `The program of codex.command ${what}: \`${command}\``, {
    detail,
    hint:
      `${todo} with its full path: it is run by \`bash -lc\`, whose profile may set another PATH than your ` +
      "shell's.",
  });
}

function signalOf(code: number | null): string | null {
  const found = Object.entries(signals).find(([, number]) => code === SIGNAL_CODES + number);
  return found?.[0] ?? null;
}

function killed(signal: string, where: string, memoryShort: boolean, detail: string | null): Failure {
  const message = `The agent's process was ended by ${signal} ${where}`;
  if (signal !== "SIGKILL") {
    return failure("port_exit", `${message}.`, {
      detail,
      hint: CRASHES.has(signal)
        ? "Codex itself crashed: try another version of it."
        : "Something on this machine told it to end; Baton did not.",
    });
  }
  if (memoryShort) {
    return failure("out_of_memory", `${message}, while the system ended processes for want of memory.`, {
      detail,
      hint:
        "Give it more memory, or let fewer agents work at once (agent.max_concurrent_agents); " +
        "`journalctl -k` names what was ended.",
    });
  }
  return failure("port_exit", `${message}, which Baton did not send.`, {
    detail,
    hint: "A person, a service manager or a limit did; `journalctl -k` names what a memory limit ended.",
  });
}

/** What a program's own mistake ends it with. */
const CRASHES: ReadonlySet<string> = new Set(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"]);

/** No bash, or no room for another process. */
function notStarted(error: NodeJS.ErrnoException): Failure {
  const message = `bash could not be started: ${error.message}`;
  if (error.code !== "ENOENT") {
    return failure("port_exit", message, {
      hint: "The limits on processes, memory or open files may be reached: raise them, or let fewer agents work at once.",
    });
  }
  return failure("codex_not_found", message, {
    hint: "Baton runs codex.command with `bash -lc`: bash has to be on the PATH.",
  });
}
