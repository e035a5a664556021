/**
 * What older versions of Codex sent, as what today's sends. Today's never sends any of it, so
 * a version that speaks both is heard in the new way only, from its first `turn/started` on.
 */
import { type Fields, fieldsOf, textOf } from "./message.ts";
import { strings } from "./sandbox.ts";

export interface Notice {
  readonly method: string;
  readonly params: Fields;
}

const EVENT = "codex/event";

export class OlderShapes {
  #modern = false;

  /** The notices this one stands for: itself, its translation, or none. */
  translate(method: string, params: Fields): readonly Notice[] {
    if (method === "turn/started") this.#modern = true;
    if (method === "turn/failed") return [turnOver(params, "failed")];
    if (method === "turn/cancelled" || method === "turn/aborted") return [turnOver(params, "interrupted")];
    if (!method.startsWith(EVENT)) return [{ method, params }];
    return this.#modern ? [] : fromEvent(params);
  }
}

/** `turn/failed` and its kin carried the turn, or only its id, and the error beside it or as plain text. */
function turnOver(params: Fields, status: string): Notice {
  const turn = fieldsOf(params["turn"]);
  const error = turn["error"] ?? params["error"] ?? params["message"] ?? params["reason"] ?? null;
  const id = turn["id"] ?? params["turnId"] ?? params["turn_id"];
  return { method: "turn/completed", params: { ...params, turn: { ...turn, id, status, error } } };
}

function fromEvent(params: Fields): readonly Notice[] {
  const msg = fieldsOf(params["msg"]);
  const threadId = textOf(params["conversationId"] ?? params["threadId"]);
  const common = threadId === null ? {} : { threadId };
  const turn = { id: textOf(params["id"]) };
  const notice = (method: string, more: Fields): Notice => ({ method, params: { ...common, ...more } });
  switch (msg["type"]) {
    case "task_started":
    case "turn_started":
      return [notice("turn/started", { turn })];
    case "task_complete":
    case "turn_complete":
      return [notice("turn/completed", { turn: { ...turn, status: "completed", items: lastMessage(msg) } })];
    case "turn_aborted":
      return [notice("turn/completed", { turn: { ...turn, status: "interrupted" } })];
    case "error":
      return [notice("turn/completed", { turn: { ...turn, status: "failed", error: msg } })];
    case "stream_error":
      return [notice("error", { error: msg, willRetry: true })];
    case "token_count":
      return [
        notice("thread/tokenUsage/updated", msg),
        notice("account/rateLimits/updated", { rateLimits: msg["rate_limits"] }),
      ];
    case "agent_message":
      return [notice("item/completed", { item: { type: "agentMessage", text: msg["message"] } })];
    case "exec_command_begin":
      return [notice("item/started", { item: commandItem(msg) })];
    case "exec_command_end":
      return [notice("item/completed", { item: commandItem(msg) })];
    default:
      return [];
  }
}

const lastMessage = (msg: Fields): readonly Fields[] => {
  const text = textOf(msg["last_agent_message"]);
  return text === null ? [] : [{ type: "agentMessage", text }];
};

const commandItem = (msg: Fields): Fields => ({
  type: "commandExecution",
  id: msg["call_id"],
  command: Array.isArray(msg["command"]) ? strings(msg["command"]).join(" ") : msg["command"],
  status: msg["exit_code"] === 0 ? "completed" : "failed",
  exitCode: msg["exit_code"],
  aggregatedOutput: msg["aggregated_output"],
});
