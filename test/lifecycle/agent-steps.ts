/** What scripted agents do with their tickets in these tests: small steps, all ids taken from the prompt. */
import {
  call,
  hold,
  say,
  shell,
  type Gate,
  type ModelRequest,
  type Step,
} from "../../src/demo/model/model.ts";
import type { Board } from "../../src/demo/board/board.ts";

const idIn = (seen: ModelRequest): string =>
  /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(seen.prompts[0] ?? "")?.[0] ?? "";

/** Commits one file. */
export const commits = (file: string): Step => [
  shell(`echo done > ${file} && git add ${file} && git commit --quiet --message "Add ${file}"`),
];

/** Moves its ticket. */
export const moves = (board: Board, state: string): Step => [
  call("linear_graphql", (seen: ModelRequest) => ({
    query:
      "mutation Move($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { success } }",
    variables: { id: idIn(seen), stateId: board.store.states.find(({ name }) => name === state)?.id },
  })),
];

/** Ends the turn. */
export const ends = (text: string): Step => [say(text)];

/** Thinks until the gate opens, then ends the turn. */
export const thinksUntil = (until: Gate, text: string): Step => [hold(until), say(text)];
