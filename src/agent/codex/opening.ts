/** From a fresh process to an open thread: initialize, read the configuration, resume or start. */
import { failure, type Failure, threadId, type ThreadId } from "../../domain/domain.ts";
import type { AgentSpec } from "../port.ts";
import { cut, requestFailure, whileResuming } from "./failures.ts";
import { threadResume, threadStart } from "./launch-options.ts";
import { type Fields, fieldsOf, idOf } from "./message.ts";
import type { Answer } from "./rpc.ts";

/** Asks Codex one thing; `done` is called once, synchronously with the answer. */
export type Ask = (method: string, params: Fields, done: (answer: Answer) => void) => void;

export interface Opened {
  readonly threadId: ThreadId;
  readonly resumed: boolean;
  /** Why the thread that was to be resumed is not the one that was opened. */
  readonly why: string | null;
  /** Codex's effective configuration; empty when this version does not tell. */
  readonly config: Fields;
}

export interface OpeningParts {
  readonly ask: Ask;
  readonly notify: (method: string) => void;
  readonly spec: AgentSpec;
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  readonly opened: (opened: Opened) => void;
  readonly failed: (why: Failure) => void;
}

/** Why a thread was not resumed is shown to people; Codex sometimes lists all it knows. */
const WHY_CHARS_MAX = 300;

/** Opens the thread of `spec`. Exactly one of `opened` and `failed` is called. */
export function openThread(parts: OpeningParts): void {
  const { ask, notify, failed, version } = parts;
  const params = {
    clientInfo: { name: "baton", title: "Baton", version },
    // Deltas are not opted out of: they are dropped unread, and during a long message they are the only sign of life.
    capabilities: { experimentalApi: true },
  };
  ask("initialize", params, (answer) => {
    if (!answer.ok) return failed(requestFailure(answer, "initialize"));
    notify("initialized");
    readConfig(parts);
  });
}

function readConfig(parts: OpeningParts): void {
  parts.ask("config/read", {}, (answer) => {
    if (!answer.ok && answer.cause !== "refused")
      return parts.failed(requestFailure(answer, "read its config"));
    // Refused: an older version. Its user's own lists are then replaced by ours, which only hides more.
    const config = answer.ok ? fieldsOf(fieldsOf(answer.result)["config"]) : {};
    if (parts.spec.resume === null) startThread(parts, config, null);
    else resumeThread(parts, config);
  });
}

/**
 * A thread is locked by the process that writes it. The lock of a killed one may outlive it for a moment, held by
 * whatever it was just about to start; without patience that moment would cost the thread's whole memory.
 */
const WRITER_RETRIES_MAX = 20;
const WRITER_RETRY_MS = 100;

function resumeThread(parts: OpeningParts, config: Fields, retries = 0): void {
  parts.ask("thread/resume", threadResume(parts.spec, config, parts.env), (answer) => {
    if (answer.ok) return report(parts, answer.result, { resumed: true, why: null, config });
    if (answer.cause !== "refused")
      return parts.failed(whileResuming(requestFailure(answer, "resume the thread")));
    if (answer.message.includes("active writer") && retries < WRITER_RETRIES_MAX) {
      return void setTimeout(() => resumeThread(parts, config, retries + 1), WRITER_RETRY_MS);
    }
    // Gone, archived, never begun, or held by another process: the work goes on without its memory.
    const why = `thread ${parts.spec.resume} could not be resumed: ${cut(answer.message, WHY_CHARS_MAX)}`;
    startThread(parts, config, why);
  });
}

function startThread(parts: OpeningParts, config: Fields, why: string | null): void {
  parts.ask("thread/start", threadStart(parts.spec, config, parts.env), (answer) => {
    if (!answer.ok) return parts.failed(requestFailure(answer, "start a thread"));
    report(parts, answer.result, { resumed: false, why, config });
  });
}

function report(parts: OpeningParts, result: unknown, how: Omit<Opened, "threadId">): void {
  const id = idOf(fieldsOf(fieldsOf(result)["thread"])["id"]);
  if (id !== null) return parts.opened({ ...how, threadId: threadId(id) });
  parts.failed(failure("protocol_violation", "Codex opened a thread and did not say which: no `thread.id`."));
}
