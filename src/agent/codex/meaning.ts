/** What a notice of Codex means to a session, pure: whether it is about its turn, and whether it is a sign of life. */
import type { ThreadId } from "../../domain/domain.ts";
import { type Fields, fieldsOf, idOf, textOf } from "./message.ts";

export type Meaning =
  | { readonly type: "turn_started"; readonly id: string | null }
  | { readonly type: "turn_completed"; readonly id: string | null; readonly turn: Fields }
  /** An error that ends the turn. */
  | { readonly type: "erred"; readonly error: unknown }
  | { readonly type: "said"; readonly text: string }
  /** Nothing to the turn. */
  | { readonly type: "beside" }
  /** A turn of another thread: agents of the model's own run as threads of their own. Nothing to anybody here. */
  | { readonly type: "elsewhere" };

/** Reads a notice for the session with this thread; versions that name no thread mean the only one there is. */
export function meaningOf(method: string, params: Fields, thread: ThreadId | null): Meaning {
  const isOwn = isOf(thread, params);
  switch (method) {
    case "turn/started":
      return isOwn ? { type: "turn_started", id: idOf(turnOf(params)["id"]) } : { type: "elsewhere" };
    case "turn/completed": {
      const turn = turnOf(params);
      return isOwn ? { type: "turn_completed", id: idOf(turn["id"]), turn } : { type: "elsewhere" };
    }
    case "error":
      return isOwn && !isRetry(method, params)
        ? { type: "erred", error: params["error"] }
        : { type: "beside" };
    case "item/completed": {
      const item = fieldsOf(params["item"]);
      if (!isOwn || item["type"] !== "agentMessage") return { type: "beside" };
      return { type: "said", text: textOf(item["text"]) ?? "" };
    }
    default:
      return { type: "beside" };
  }
}

/** Codex tries again by itself. A provider that is away is tried for hours, and that is not a sign of life. */
export const isRetry = (method: string, params: Fields): boolean =>
  method === "error" && params["willRetry"] === true;

const turnOf = (params: Fields): Fields => fieldsOf(params["turn"]);

function isOf(thread: ThreadId | null, params: Fields): boolean {
  const named = textOf(params["threadId"]);
  return named === null || named === thread;
}
