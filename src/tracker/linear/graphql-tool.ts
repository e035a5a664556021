/**
 * The `linear_graphql` dynamic tool (SPEC 10.5): the model asks, the daemon sends with the session's own key. One operation
 * per call, one report per call; trouble is an answer that the model can act on, never an exception.
 */
import { z } from "zod";
import type { AgentTool, ToolAnswer } from "../../agent/agent.ts";
import type { FactBody } from "../../domain/fact.ts";
import { TrackerError, type GraphqlAnswer, type Tracker } from "../tracker.ts";
import { errorMessages } from "./errors.ts";
import { inspect, type Operation } from "./operation.ts";

export type ToolCalled = Extract<FactBody, { readonly type: "tool_called" }>;

const linearGraphqlName = "linear_graphql";

/** Per call; the tracker's own deadline per request may end it earlier. */
const deadlineMs = 30_000;

/** About 10,000 tokens: a long ticket with its comments fits, a whole board would push the task out of the context. */
const answerMaxCharacters = 40_000;

/** Of an error's text in the account; the model gets all of it. */
const errorMax = 500;

/** Queries that the description shows; the contract test checks them like our own. */
export const linearGraphqlExamples = {
  read: "query($id: String!) { issue(id: $id) { id title description state { name } team { states { nodes { id name } } } comments(first: 20) { nodes { id body user { name } } } } }",
  comment:
    "mutation($issueId: String!, $body: String!) { commentCreate(input: { issueId: $issueId, body: $body }) { success comment { id } } }",
  move: "mutation($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { success issue { state { name } } } }",
} as const;

const description = `Runs one GraphQL query or mutation against Linear, authenticated already: you need no key.

Send exactly one operation per call, with values in variables. An issue's id argument takes its identifier (MT-12) or its UUID. Use first: 20 or so on lists, and ask only for fields you need: answers over ${answerMaxCharacters} characters are cut.

Read an issue, its comments and the states it can be moved to:
{"query": "${linearGraphqlExamples.read}", "variables": {"id": "MT-12"}}
Comment on it (issueId is the UUID from the first answer):
{"query": "${linearGraphqlExamples.comment}", "variables": {"issueId": "…", "body": "Markdown text"}}
Move it to another state (stateId from team.states above):
{"query": "${linearGraphqlExamples.move}", "variables": {"id": "MT-12", "stateId": "…"}}

To add or remove a label use issueUpdate with addedLabelIds or removedLabelIds. When an answer has errors, nothing may have been done: read them before you try again.`;

const inputSchema = {
  type: "object",
  properties: {
    query: { type: "string", description: "One GraphQL query or mutation; fragments are allowed." },
    variables: {
      type: "object",
      description: "Values of the operation's variables.",
      additionalProperties: true,
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

const input = z.union([
  z.string().transform((query) => ({ query, variables: {} })),
  z.object({
    query: z.string(),
    variables: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((variables) => variables ?? {}),
  }),
]);

/** `onCall` is told of every call, the refused ones too, before the model gets its answer. */
export function linearGraphqlTool(
  tracker: Tracker,
  onCall: (call: ToolCalled) => void,
  options: { readonly deadlineMs?: number } = {},
): AgentTool {
  return {
    name: linearGraphqlName,
    description,
    inputSchema,
    call: async (args, callId, signal) => {
      const startedAt = performance.now();
      const call = callOf(args);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(options.deadlineMs ?? deadlineMs)]);
      const outcome = "problem" in call ? refused(call.problem) : await send(tracker, call, limit);
      const about = "problem" in call ? nothingKnown : factsOf(call.operation);
      const tookMs = Math.round(performance.now() - startedAt);
      const { ok, error } = outcome;
      onCall({ type: "tool_called", tool: linearGraphqlName, callId, ...about, ok, error, tookMs });
      return { ok, text: bounded(outcome.text) };
    },
  };
}

interface Call {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operation: Operation;
}

interface Outcome extends ToolAnswer {
  readonly error: string | null;
}

const nothingKnown = { operation: null, fields: [], ids: [], complexity: null } as const;

const factsOf = (operation: Operation) => ({
  operation: operation.name,
  fields: operation.rootFields,
  ids: operation.ids,
  complexity: operation.complexity,
});

function callOf(args: unknown): Call | { readonly problem: string } {
  const parsed = input.safeParse(args);
  if (!parsed.success) {
    return {
      problem:
        'the arguments must be {"query": "one GraphQL operation", "variables": {…}}; variables is an object or absent',
    };
  }
  const { query, variables } = parsed.data;
  if (query.trim() === "") return { problem: "the query is empty" };
  const operation = inspect(query, variables);
  return "problem" in operation ? operation : { query, variables, operation };
}

const refused = (problem: string): Outcome => {
  const message = `Not sent to Linear: ${problem}.`;
  return failed("invalid_input", message);
};

const failed = (kind: string, message: string): Outcome => ({
  ok: false,
  text: JSON.stringify({ error: { kind, message } }),
  error: message.slice(0, errorMax).toWellFormed(),
});

async function send(tracker: Tracker, { query, variables }: Call, signal: AbortSignal): Promise<Outcome> {
  try {
    return answered(await tracker.graphql(query, variables, signal));
  } catch (error) {
    // Whatever it is, the turn must get its answer: a call that is never answered stalls the agent.
    return failed(error instanceof TrackerError ? error.kind : "internal", messageOf(error));
  }
}

// The hints are for whoever runs the daemon: the model cannot set a key.
const messageOf = (error: unknown): string =>
  error instanceof TrackerError ? error.what : error instanceof Error ? error.message : String(error);

function answered(answer: GraphqlAnswer): Outcome {
  const text = JSON.stringify(answer);
  const errors = answer.errors ?? [];
  if (errors.length === 0) return { ok: true, text, error: null };
  return {
    ok: false,
    text,
    error: `Linear answered with errors: ${errorMessages(errors)}`.slice(0, errorMax),
  };
}

function bounded(text: string): string {
  if (text.length <= answerMaxCharacters) return text;
  const note = `[Cut: the first ${answerMaxCharacters} of ${text.length} characters, so this is not whole JSON. Ask for less: fewer fields, a smaller first with after: "<endCursor>", or one issue at a time.]`;
  return `${text.slice(0, answerMaxCharacters).toWellFormed()}\n${note}`;
}
