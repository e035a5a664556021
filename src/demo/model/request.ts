/**
 * One request of Codex to its model, in the words a script decides by: who said what, which calls were answered, which
 * tools are offered. Knows the Responses API's shape and nothing of HTTP. Items it does not know are kept by their type.
 */
import { z } from "zod";

export type Item =
  | { readonly type: "developer"; readonly text: string }
  /** A prompt, or a text Codex itself put in the user's mouth (`own`): environment, AGENTS.md, an aborted turn. */
  | { readonly type: "user"; readonly text: string; readonly own: boolean }
  | { readonly type: "assistant"; readonly text: string }
  | { readonly type: "call"; readonly callId: string; readonly tool: string; readonly input: string }
  | { readonly type: "output"; readonly callId: string; readonly text: string }
  | { readonly type: "other"; readonly kind: string };

export interface ModelRequest {
  /** 1, 2, ... in the order of arrival at this server. */
  readonly number: number;
  readonly thread: string;
  readonly model: string;
  /** Names of the tools offered, also of those inside a namespace. */
  readonly tools: readonly string[];
  /** The namespace that this tool is offered in; null = in none. */
  namespaceOf(tool: string): string | null;
  readonly items: readonly Item[];
  /** What the client asked, oldest first: user items that are not Codex's own. */
  readonly prompts: readonly string[];
  /** The answer to a call, or null while there is none. */
  output(callId: string): string | null;
  /** The answers to all calls so far, oldest first. */
  readonly outputs: readonly string[];
}

/** How the texts begin that Codex sends as the user without anybody having asked them. */
const ownTexts = [
  "<environment_context>",
  "<turn_aborted>",
  "<user_instructions>",
  "<skill>",
  "# AGENTS.md instructions",
];

const parts = z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]);
const message = z.object({ type: z.literal("message"), role: z.string(), content: parts });
const call = z.object({
  type: z.enum(["function_call", "custom_tool_call"]),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().optional(),
  input: z.string().optional(),
});
const output = z.object({
  type: z.enum(["function_call_output", "custom_tool_call_output"]),
  call_id: z.string(),
  output: parts,
});
const known = z.discriminatedUnion("type", [message, call, output]);

interface Tool {
  readonly name?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
}
const tool: z.ZodType<Tool> = z.object({
  name: z.string().optional(),
  get tools() {
    return z.array(tool).optional();
  },
});
/** Some models get their tools as an input item instead of a field. */
const added = z.object({ type: z.literal("additional_tools"), tools: z.array(tool) });

const body = z.object({
  model: z.string(),
  input: z.array(z.unknown()),
  tools: z.array(tool).default([]),
});

/** Reads a request's body; throws a ZodError when it is no Responses request at all. */
export function parseRequest(json: unknown, number: number, thread: string): ModelRequest {
  const { model, input, tools } = body.parse(json);
  const items = input.map(parseItem);
  const outputs = items.filter((item) => item.type === "output");
  const offered = [...tools, ...input.flatMap(addedTools)];
  return {
    number,
    thread,
    model,
    tools: offered.flatMap(toolNames),
    namespaceOf: (name) =>
      offered.find((entry) => entry.tools?.some((inner) => inner.name === name))?.name ?? null,
    items,
    prompts: items.flatMap((item) => (item.type === "user" && !item.own ? [item.text] : [])),
    output: (callId) => outputs.find((item) => item.callId === callId)?.text ?? null,
    outputs: outputs.map((item) => item.text),
  };
}

const joined = (content: z.infer<typeof parts>): string =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");

function parseItem(raw: unknown): Item {
  const parsed = known.safeParse(raw);
  if (!parsed.success) {
    return { type: "other", kind: z.object({ type: z.string() }).safeParse(raw).data?.type ?? "unknown" };
  }
  const item = parsed.data;
  switch (item.type) {
    case "message":
      return said(item.role, joined(item.content));
    case "function_call":
    case "custom_tool_call":
      return {
        type: "call",
        callId: item.call_id,
        tool: item.name,
        input: item.arguments ?? item.input ?? "",
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return { type: "output", callId: item.call_id, text: joined(item.output) };
  }
}

function said(role: string, text: string): Item {
  if (role === "assistant") return { type: "assistant", text };
  if (role === "user") return { type: "user", text, own: ownTexts.some((start) => text.startsWith(start)) };
  return { type: "developer", text };
}

const addedTools = (item: unknown): readonly Tool[] => added.safeParse(item).data?.tools ?? [];
const toolNames = (entry: Tool): readonly string[] =>
  entry.tools ? entry.tools.flatMap(toolNames) : entry.name === undefined ? [] : [entry.name];
