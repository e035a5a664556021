/** What Codex, its provider or its process said, as one of our failures, with something to do about it. */
import { failure, type Failure, type FailureKind } from "../../domain/failure.ts";
import { fieldsOf, isFields, numberOf, textOf, type Fields } from "./message.ts";
import type { ProcessEnd } from "./process.ts";
import type { Answer } from "./rpc.ts";

/** Provider messages may be a whole response body. */
const MESSAGE_CHARS_MAX = 1000;

/** Cuts a text to a readable length. */
export const cut = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;

const kindOfCode: { readonly [code: string]: FailureKind } = {
  contextWindowExceeded: "context_window_exceeded",
  usageLimitExceeded: "usage_limit",
  rateLimitExceeded: "rate_limited",
  serverOverloaded: "provider_overloaded",
  flexUnavailable: "provider_overloaded",
  policyCapacityUnavailable: "provider_overloaded",
  internalServerError: "provider_overloaded",
  modelNotFound: "model_not_found",
  cyberPolicy: "content_refused",
  misalignmentPolicyViolation: "content_refused",
  inferenceHookDenied: "content_refused",
  unauthorized: "unauthorized",
  httpConnectionFailed: "provider_unreachable",
  responseStreamConnectionFailed: "provider_unreachable",
  responseStreamDisconnected: "provider_unreachable",
  responseTooManyFailedAttempts: "provider_unreachable",
};

const hintOf: { readonly [kind in FailureKind]?: string } = {
  usage_limit: "Wait for the reset, or use another account.",
  unauthorized:
    "Run `codex login` as the user Baton runs as. A key in a variable has to be named in codex.env_pass.",
  model_not_found: "Check codex.model and the model of Codex's own config.toml.",
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
    detail: textOf(fields["additionalDetails"] ?? fields["additional_details"]),
    resetsAt: kind === "usage_limit" ? resetsAt : null,
  });
}

/** A name, or an object of one member whose value may hold an HTTP status. New names are to be expected. */
function kindOf(info: unknown, message: string): FailureKind {
  const [code, details] = codeOf(info);
  const status = numberOf(details["httpStatusCode"] ?? details["http_status_code"]);
  return (status === null ? null : kindOfStatus(status)) ?? kindOfCode[code] ?? kindOfMessage(message);
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

/** `other` is a bag; two of its contents are known by their words. */
function kindOfMessage(message: string): FailureKind {
  if (message.startsWith("stream disconnected before completion")) return "provider_unreachable";
  if (message.startsWith("Missing environment variable")) return "unauthorized";
  return "turn_failed";
}

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

/** The process ended without having been asked to. */
export function exitFailure(end: ProcessEnd, command: string, stderr: string): Failure {
  const detail = stderr === "" ? null : stderr;
  if (end.error !== null) return notStarted(end.error);
  if (end.code === NOT_FOUND || end.code === NOT_EXECUTABLE) {
    return failure("codex_not_found", `codex.command could not be run: \`${command}\``, {
      detail,
      hint:
        "Install Codex (`npm install -g @openai/codex`), or give codex.command with its full path: it is run by " +
        "`bash -lc`, whose profile may set another PATH than your shell's.",
    });
  }
  const how = end.signal === null ? `with code ${end.code ?? "unknown"}` : `by ${end.signal}`;
  return failure("port_exit", `The agent's process ended ${how}.`, { detail });
}

/** No bash, or no room for another process. */
function notStarted(error: NodeJS.ErrnoException): Failure {
  const message = `bash could not be started: ${error.message}`;
  if (error.code !== "ENOENT") return failure("port_exit", message);
  return failure("codex_not_found", message, {
    hint: "Baton runs codex.command with `bash -lc`: bash has to be on the PATH.",
  });
}
