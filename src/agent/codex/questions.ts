/** What Codex asks of us during a session: every request gets its answer, and every answer is told. */
import type { FactBody, Failure, Instant } from "../../domain/domain.ts";
import type { AgentSpec } from "../port.ts";
import { REFUSED_CODE, type Reply, replyTo } from "./approvals.ts";
import { cut } from "./failures.ts";
import { type Fields, type RequestId, textOf } from "./message.ts";
import type { Rpc } from "./rpc.ts";
import { ToolCalls, toolResult } from "./tool-calls.ts";

export interface QuestionsParts {
  readonly rpc: Pick<Rpc, "answer" | "refuse">;
  readonly spec: Pick<AgentSpec, "policy" | "tools">;
  readonly clock: () => Instant;
  /** Aborts when a tool called now has nobody left to answer. */
  readonly signal: () => AbortSignal;
  readonly tell: (fact: FactBody) => void;
  /** The run has to end over a question. Called after the question was answered. */
  readonly park: (why: Failure) => void;
}

/** Names of methods and tools, as they are shown. */
const NAME_CHARS_MAX = 200;

const TOOL_CALL = "item/tool/call";

export class Questions {
  readonly #parts: QuestionsParts;
  readonly #tools: ToolCalls;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
    this.#tools = new ToolCalls(parts.spec.tools);
  }

  /** Answers a request, at once or when the tool it calls has ended. */
  take(id: RequestId, method: string, params: Fields): void {
    if (method === TOOL_CALL) return void this.#call(id, params);
    const { rpc, spec, clock, park } = this.#parts;
    const reply = replyTo(method, params, spec.policy, clock());
    if (reply.result === null) {
      rpc.refuse(id, REFUSED_CODE, `${cut(method, NAME_CHARS_MAX)}: ${reply.about}`);
    } else rpc.answer(id, reply.result);
    this.#answered(method, reply);
    if (reply.park !== null) park(reply.park);
  }

  async #call(id: RequestId, params: Fields): Promise<void> {
    const answer = await this.#tools.answer(params, this.#parts.signal());
    this.#parts.rpc.answer(id, toolResult(answer));
    const about = cut(textOf(params["tool"]) ?? "", NAME_CHARS_MAX);
    this.#answered(TOOL_CALL, { answer: answer.ok ? "success" : "failure", about });
  }

  #answered(method: string, { answer, about }: Pick<Reply, "answer" | "about">): void {
    const name = cut(method, NAME_CHARS_MAX);
    this.#parts.tell({ type: "request_answered", method: name, answer, about });
  }
}
