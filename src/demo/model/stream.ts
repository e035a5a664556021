/**
 * Plays one reply as a Responses API stream: server-sent events in the order the real service sends them. Knows HTTP and
 * the event shapes; what to play was decided before. Ends early when Codex hangs up.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type From, type Part, type Reply, type Usage, usageByDefault } from "./reply.ts";
import type { ModelRequest } from "./request.ts";

/** Longer than any test or demo needs; a forgotten gate must not keep a connection for ever. */
const HOLD_MAX_MS = 120_000;
/** A script that wants more deltas than this has a mistake in it. */
const PIECES_MAX = 20_000;

type Json = Readonly<Record<string, unknown>>;
type Ending = "completed" | "ended";

/** Plays `reply` on `response`; resolves when the answer is sent, cut or no longer wanted. Never rejects. */
export async function play(reply: Reply, request: ModelRequest, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    await new Player(request, response, gone.signal).play(reply);
  } catch (error) {
    if (!gone.signal.aborted) response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

class Player {
  readonly #request: ModelRequest;
  readonly #response: ServerResponse;
  readonly #gone: AbortSignal;
  readonly #id: string;
  #headers: Readonly<Record<string, string>> = {};
  #usage: Usage = usageByDefault;
  #begun = false;
  #index = 0;

  constructor(request: ModelRequest, response: ServerResponse, gone: AbortSignal) {
    this.#request = request;
    this.#response = response;
    this.#gone = gone;
    // Unique over restarts of this server too: a resumed thread's old call ids must not come again.
    this.#id = `${Date.now().toString(36)}_${request.number}`;
  }

  async play(reply: Reply): Promise<void> {
    for (const part of reply) {
      if ((await this.#part(part)) === "ended") return;
    }
    this.#event("response.completed", { response: { id: this.#id, usage: wireUsage(this.#usage) } });
    this.#response.end();
  }

  async #part(part: Part): Promise<Ending> {
    switch (part.do) {
      case "say":
        await this.#say(valueOf(part.text, this.#request), part.pieces, part.gapMs, part.cut);
        return part.cut ? this.#drop() : "completed";
      case "call":
        this.#call(part.tool, valueOf(part.args, this.#request), part.callId);
        return "completed";
      case "patch":
        this.#patch(valueOf(part.text, this.#request));
        return "completed";
      case "usage":
        this.#usage = part;
        return "completed";
      case "headers":
        this.#headers = part.headers;
        return "completed";
      case "hold":
        await this.#hold(part.gate.opened);
        return "completed";
      case "wait":
        await sleep(part.ms, undefined, { signal: this.#gone });
        return "completed";
      case "drop":
        return this.#drop();
      case "refuse":
        return this.#refuse(part.status, part.code, part.message);
      case "fail":
        return this.#end("response.failed", {
          status: "failed",
          error: { code: part.code, message: part.message },
        });
      case "incomplete":
        return this.#end("response.incomplete", {
          status: "incomplete",
          incomplete_details: { reason: part.reason },
        });
    }
  }

  #event(type: string, fields: Json): void {
    this.#begin();
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#response.writeHead(200, { "content-type": "text/event-stream", ...this.#headers });
    this.#event("response.created", { response: { id: this.#id, status: "in_progress" } });
  }

  async #say(text: string, pieces: number, gapMs: number, cut: boolean): Promise<void> {
    const at = { output_index: this.#index++ };
    const item = { type: "message", role: "assistant", id: `msg_${this.#id}_${this.#index}` };
    this.#event("response.output_item.added", { ...at, item: { ...item, content: [] } });
    for (const delta of split(text, Math.min(pieces, PIECES_MAX))) {
      this.#event("response.output_text.delta", { ...at, item_id: item.id, content_index: 0, delta });
      if (gapMs > 0) await sleep(gapMs, undefined, { signal: this.#gone });
    }
    if (cut) return;
    const content = [{ type: "output_text", text, annotations: [] }];
    this.#event("response.output_item.done", { ...at, item: { ...item, content } });
  }

  #call(tool: string, args: unknown, callId: string | null): void {
    const at = { output_index: this.#index++ };
    const text = typeof args === "string" ? args : JSON.stringify(args);
    // Codex takes a tool of a namespace by both names only.
    const inside = this.#request.namespaceOf(tool);
    const namespace = inside === null ? {} : { namespace: inside };
    const item = {
      type: "function_call",
      id: `fc_${this.#id}_${this.#index}`,
      call_id: callId ?? `call_${this.#id}_${this.#index}`,
      name: tool,
      ...namespace,
    };
    this.#event("response.output_item.added", { ...at, item: { ...item, arguments: "" } });
    this.#event("response.function_call_arguments.delta", { ...at, item_id: item.id, delta: text });
    this.#event("response.output_item.done", { ...at, item: { ...item, arguments: text } });
  }

  #patch(input: string): void {
    const at = { output_index: this.#index++ };
    const item = {
      type: "custom_tool_call",
      id: `ctc_${this.#id}_${this.#index}`,
      call_id: `call_${this.#id}_${this.#index}`,
      name: "apply_patch",
    };
    this.#event("response.output_item.added", { ...at, item: { ...item, input: "" } });
    this.#event("response.output_item.done", { ...at, item: { ...item, input } });
  }

  async #hold(opened: Promise<void>): Promise<void> {
    this.#begin();
    const settled = new AbortController();
    const signal = AbortSignal.any([this.#gone, settled.signal]);
    const late = sleep(HOLD_MAX_MS, "late", { signal }).catch(() => "gone");
    const outcome = await Promise.race([opened.then(() => "opened"), late]);
    settled.abort();
    if (outcome !== "opened")
      throw new Error(`a reply was held longer than ${HOLD_MAX_MS} ms, or hung up on`);
  }

  #drop(): Ending {
    this.#begin();
    // The half-sent stream must reach Codex before the cut, or it sees a refused connection instead.
    this.#response.write("\n", () => this.#response.destroy());
    return "ended";
  }

  #refuse(status: number, code: string, message: string): Ending {
    if (this.#begun) throw new Error("refuse() must come before anything is sent");
    this.#response.writeHead(status, { "content-type": "application/json", ...this.#headers });
    this.#response.end(JSON.stringify({ error: { code, type: code, message } }));
    return "ended";
  }

  #end(type: string, fields: Json): Ending {
    this.#event(type, { response: { id: this.#id, ...fields } });
    this.#response.end();
    return "ended";
  }
}

const valueOf = <T>(from: From<T>, request: ModelRequest): T =>
  typeof from === "function" ? (from as (request: ModelRequest) => T)(request) : from;

/** `pieces` slices of about equal length; at least one, so that an empty text is still a delta. */
function split(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const count = Math.max(1, Math.ceil(text.length / size));
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size));
}

const wireUsage = (cost: Usage): Json => ({
  input_tokens: cost.input,
  input_tokens_details: { cached_tokens: cost.cached },
  output_tokens: cost.output,
  output_tokens_details: { reasoning_tokens: cost.reasoning },
  total_tokens: cost.input + cost.output,
});
