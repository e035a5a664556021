/**
 * The `linear_graphql` dynamic tool (SPEC 10.5): the model asks, the daemon sends with the session's own key. One operation
 * per call, one report per call; trouble is an answer that the model can act on, never an exception.
 */
import type { AgentTool, ToolAnswer } from "../../agent/agent.ts";
import { TrackerError, type ToolRun } from "../port.ts";
import { errorMessages } from "./errors.ts";
import type { Call } from "./graphql-call.ts";

/** A GraphQL response body as the server sent it. */
export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

/** Sends one document and returns the whole answer, errors included. @throws TrackerError on anything but a GraphQL answer */
export type SendGraphql = (
  document: string,
  variables: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  /** What it costs, in points. */
  points: number,
) => Promise<GraphqlAnswer>;

const linearGraphqlName = "linear_graphql";

/** Per call; the tracker's own deadline per request may end it earlier. */
const DEADLINE_MS = 30_000;

/** About 10,000 tokens: a long ticket with its comments fits, a whole board would push the task out of the context. */
const ANSWER_MAX_CHARACTERS = 40_000;

/** Of an error's text in the account; the model gets all of it. */
const ERROR_MAX = 500;

/** Queries that the description shows; the contract test checks them like our own. */
export const linearGraphqlExamples = {
  read: "query($id: String!) { issue(id: $id) { id title description state { name } team { states { nodes { id name } } } comments(first: 20) { nodes { id body user { name } } } } }",
  comment:
    "mutation($issueId: String!, $body: String!) { commentCreate(input: { issueId: $issueId, body: $body }) { success comment { id } } }",
  move: "mutation($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { success issue { state { name } } } }",
} as const;

const description = `Runs one GraphQL query or mutation against Linear, authenticated already: you need no key.

Send exactly one operation per call, with values in variables. An issue's id argument takes its identifier (MT-12) or its UUID. Use first: 20 or so on lists, and ask only for fields you need: answers over ${ANSWER_MAX_CHARACTERS} characters are cut.

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

/**
 * The tool for one run. A mutation is recorded before it is sent, or not sent; every call is published, the refused ones
 * too, before the model gets its answer. Ids of what is created are made from the run's mark.
 */
export function linearGraphqlTool(
  sendGraphql: SendGraphql,
  run: ToolRun,
  options: { readonly deadlineMs?: number } = {},
): AgentTool {
  const { deadlineMs: withinMs = DEADLINE_MS } = options;
  return {
    name: linearGraphqlName,
    description,
    inputSchema,
    call: async (args, callId, signal) => {
      const startedAt = performance.now();
      // With its parser of GraphQL: most runs call once or twice, and a start never.
      const { callOf } = await import("./graphql-call.ts");
      const call = callOf(args, `${run.mark} ${callId}`);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
      const outcome =
        "problem" in call
          ? refused(call.problem)
          : (unrecorded(call, callId, run) ?? (await send(sendGraphql, call, limit)));
      const about = "problem" in call ? nothingKnown : factsOf(call);
      const tookMs = Math.round(performance.now() - startedAt);
      const { ok, error, unknown } = outcome;
      const known = { ok, error, tookMs, ...(unknown === true ? { unknown } : {}) };
      run.publish({ type: "tool_called", tool: linearGraphqlName, callId, ...about, ...known });
      return { ok, text: bounded(outcome.text) };
    },
  };
}

interface Outcome extends ToolAnswer {
  readonly error: string | null;
  readonly unknown?: true;
}

const nothingKnown = { operation: null, fields: [], ids: [], complexity: null } as const;

const factsOf = ({ operation, newIds }: Call) => ({
  operation: operation.name,
  fields: operation.rootFields,
  ids: [...newIds, ...operation.ids],
  complexity: operation.complexity,
});

/**
 * Writes down what is about to go out; the answer when that is not possible, null when it may go (I4 of
 * docs/ARCHITECTURE.md).
 */
function unrecorded({ operation, newIds }: Call, callId: string, { record }: ToolRun): Outcome | null {
  // What only reads leaves nothing behind, and may be repeated by anybody.
  if (!operation.isMutation) return null;
  const { name, rootFields: fields, ids } = operation;
  try {
    record({ type: "tool_started", tool: linearGraphqlName, callId, operation: name, fields, ids, newIds });
    return null;
  } catch (error) {
    return failed(
      "not_recorded",
      `Not sent to Linear: it could not be written down before (${messageOf(error)}). Try again later.`,
    );
  }
}

const refused = (problem: string): Outcome => {
  const message = `Not sent to Linear: ${problem}.`;
  return failed("invalid_input", message);
};

const failed = (kind: string, message: string): Outcome => ({
  ok: false,
  text: JSON.stringify({ error: { kind, message } }),
  error: message.slice(0, ERROR_MAX).toWellFormed(),
});

async function send(sendGraphql: SendGraphql, call: Call, signal: AbortSignal): Promise<Outcome> {
  try {
    return answered(await sendGraphql(call.query, call.variables, signal, call.operation.complexity));
  } catch (error) {
    // Whatever it is, the turn must get its answer: a call that is never answered stalls the agent.
    const kind = error instanceof TrackerError ? error.kind : "internal";
    if (!call.operation.isMutation || !mayBeDone(error)) return failed(kind, messageOf(error));
    return { ...failed(kind, `${messageOf(error)} ${doubt(call)}`), unknown: true };
  }
}

/** Whether what was asked may have been done all the same. */
function mayBeDone(error: unknown): boolean {
  if (!(error instanceof TrackerError)) return true;
  switch (error.kind) {
    case "tracker_request":
    case "tracker_response":
      return true;
    case "tracker_status":
      return error.passing && (error.status === null || error.status >= 500);
    case "tracker_rate_limited":
    case "tracker_pagination":
    case "missing_tracker_secret":
    case "invalid_tracker_config":
    case "unsupported_tracker_kind":
      return false;
  }
}

const doubt = ({ newIds }: Call): string =>
  `It is not known whether Linear did it: look before you repeat it.${
    newIds.length === 0 ? "" : ` What it creates has the id ${newIds.join(", ")}.`
  }`;

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
    error: `Linear answered with errors: ${errorMessages(errors)}`.slice(0, ERROR_MAX),
  };
}

function bounded(text: string): string {
  if (text.length <= ANSWER_MAX_CHARACTERS) return text;
  const note = `[Cut: the first ${ANSWER_MAX_CHARACTERS} of ${text.length} characters, so this is not whole JSON. Ask for less: fewer fields, a smaller first with after: "<endCursor>", or one issue at a time.]`;
  return `${text.slice(0, ANSWER_MAX_CHARACTERS).toWellFormed()}\n${note}`;
}
