/** Calls of dynamic tools: the model asks, a tool of the daemon answers, several at once if need be. */
import type { AgentTool, ToolAnswer } from "../port.ts";
import { type Fields, textOf } from "./message.ts";

/** Calls under way at once. The model sends a handful in parallel. */
const CALLS_MAX = 16;

/** What Codex shows the model is cut at about 48 kB anyway, in the middle and without a word. */
const TEXT_CHARS_MAX = 256 * 1024;

export class ToolCalls {
  readonly #tools: ReadonlyMap<string, AgentTool>;
  #underWay = 0;

  constructor(tools: readonly AgentTool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Runs the call of an `item/tool/call` request. Never rejects: the model reads what went wrong. */
  async answer(params: Fields, signal: AbortSignal): Promise<ToolAnswer> {
    const name = textOf(params["tool"]) ?? "";
    const tool = textOf(params["namespace"]) === null ? this.#tools.get(name) : undefined;
    if (tool === undefined) return no(`There is no tool called "${name}" here.`);
    if (this.#underWay >= CALLS_MAX)
      return no("Too many tool calls at once. Wait for some to end and repeat this one.");
    this.#underWay++;
    try {
      return await tool.call(params["arguments"], textOf(params["callId"]) ?? "", signal);
    } catch (error) {
      return no(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#underWay--;
    }
  }
}

/** The one shape Codex accepts; with an error instead, the model would not see the text. */
export const toolResult = ({ ok, text }: ToolAnswer): Fields => ({
  success: ok,
  contentItems: [{ type: "inputText", text: text.slice(0, TEXT_CHARS_MAX) }],
});

const no = (text: string): ToolAnswer => ({ ok: false, text });
