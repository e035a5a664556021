/** What the scripted agent knows: only what a model would see. Ids are read from the prompt and from answers of tools. */
import { z } from "zod";
import type { ModelRequest } from "./model/model.ts";

/** The ticket's id, as WORKFLOW.md renders it. @throws Error, which fails the turn and is shown. */
export const issueIdIn = (request: ModelRequest): string =>
  found(/\bid: `([^`\s]+)`/, request.prompts[0], "ticket id in the prompt");

/** The branch that the ticket's work goes to. */
export const branchIn = (request: ModelRequest): string =>
  found(/\bbranch `([^`\s]+)`/, request.prompts[0], "branch in the prompt");

/** Identifier of the first ticket that this one builds on. */
export const blockerIn = (request: ModelRequest): string =>
  found(/\bIt builds on ([A-Z]+-\d+)/, request.prompts[0], "blocking ticket in the prompt");

/** Short hash of the commit just made, from what git said. */
export const commitIn = (request: ModelRequest): string =>
  found(/\[\S+ ([0-9a-f]{7,40})\]/, request.outputs.join("\n"), "commit in what git said");

function found(pattern: RegExp, text: string | undefined, what: string): string {
  const match = pattern.exec(text ?? "")?.[1];
  if (match === undefined) throw new Error(`there is no ${what}`);
  return match;
}

const ticketAnswer = z.object({
  data: z.object({
    issue: z.object({
      team: z.object({
        states: z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })) }),
      }),
    }),
  }),
});

/** Id of the workflow state with this name, from the answer to the query that read the ticket. @throws Error */
export function stateIdIn(request: ModelRequest, name: string): string {
  const states = request.outputs.flatMap(
    (text) => ticketAnswer.safeParse(json(text)).data?.data.issue.team.states.nodes ?? [],
  );
  const state = states.find((one) => one.name === name);
  if (state === undefined) throw new Error(`no answer so far names a state "${name}"`);
  return state.id;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
