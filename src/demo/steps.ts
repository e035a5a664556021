/**
 * The steps that the scripted agent's tickets are made of: each is one answer of the model, with a word about what comes
 * next, a moment of thinking, and one call. A person must be able to follow, so nothing happens at once.
 */
import {
  call,
  type Gate,
  hold,
  type ModelRequest,
  type Part,
  patch,
  refuse,
  type Reply,
  say,
  shell,
  type Step,
  usage,
  wait,
} from "./model/model.ts";
import { branchIn, commitIn, issueIdIn, stateIdIn } from "./prompt.ts";

/** Long enough to be seen, short enough for a demo of half a minute. */
const THINKING_MS = 350;
/** Words appear one by one. */
const PIECES = 6;
const GAP_MS = 25;

/** What a step costs; made up, in proportions that real ones have. */
const cost = { input: 2_400, cached: 1_900, output: 120, reasoning: 40 } as const;

const step = (words: string, part: Part): Reply => [
  usage(cost),
  wait(THINKING_MS),
  say(words, { pieces: PIECES, gapMs: GAP_MS }),
  part,
];

const ticketQuery =
  "query Ticket($id: String!) { issue(id: $id) { id title description state { name } team { states { nodes { id name } } } comments(first: 20) { nodes { id body } } } }";
const moveMutation =
  "mutation Move($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { success issue { state { name } } } }";
const commentMutation =
  "mutation Comment($issueId: String!, $body: String!) { commentCreate(input: { issueId: $issueId, body: $body }) { success comment { id } } }";

const linear = "linear_graphql";

/** Reads the ticket and takes it. */
export const begin: readonly Step[] = [
  step(
    "I read the ticket first.",
    call(linear, (seen: ModelRequest) => ({ query: ticketQuery, variables: { id: issueIdIn(seen) } })),
  ),
  move("I take it.", "In Progress"),
];

function move(words: string, state: string): Step {
  const variables = (seen: ModelRequest) => ({ id: issueIdIn(seen), stateId: stateIdIn(seen, state) });
  return step(
    words,
    call(linear, (seen: ModelRequest) => ({ query: moveMutation, variables: variables(seen) })),
  );
}

/** Runs a command in the workspace. */
export const runs = (words: string, command: string): Step => step(words, shell(command));

/** Runs a command that depends on what the model has seen, when the gate is open. */
export const runsAfter = (until: Gate, words: string, command: (seen: ModelRequest) => string): Step => [
  hold(until),
  ...step(words, shell(command)),
];

/** Edits files: `edits` are the parts of a patch between its first and its last line. */
export const edits = (words: string, ...changes: readonly string[]): Step =>
  step(words, patch(["*** Begin Patch", ...changes, "*** End Patch", ""].join("\n")));

/** Part of a patch: a new file. */
export const adds = (path: string, ...lines: readonly string[]): string =>
  [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)].join("\n");

/** Part of a patch: one line of a file becomes others. */
export const changes = (path: string, from: string, ...to: readonly string[]): string =>
  [`*** Update File: ${path}`, "@@", `-${from}`, ...to.map((line) => `+${line}`)].join("\n");

/** Checks, commits, reports on the ticket and closes it. */
export const finish = (message: string, report: string): readonly Step[] => [
  runs("Now the checks.", "./test.sh"),
  runs("All pass, so I commit.", `git add --all && git commit --message "${message}"`),
  step(
    "I say so on the ticket.",
    call(linear, (seen: ModelRequest) => ({
      query: commentMutation,
      variables: {
        issueId: issueIdIn(seen),
        body: `${report}\n\nCommit ${commitIn(seen)} on branch ${branchIn(seen)}.`,
      },
    })),
  ),
  move("That was it.", "Done"),
  pause("The ticket is done."),
];

/** Ends the turn with these words. */
export function pause(words: string): Step {
  return [usage(cost), wait(THINKING_MS), say(words, { pieces: PIECES, gapMs: GAP_MS })];
}

/** The provider refuses the request, once: the turn fails, and nobody else is held up by it. */
export const breaksDown: Step = [
  wait(THINKING_MS),
  refuse(400, "invalid_prompt", "The model would not go on (made up for the demo: it happens only once)"),
];
