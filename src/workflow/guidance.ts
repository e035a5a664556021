/** Texts that we say to the agent ourselves: the prompt of a workflow without one, and the start of every later turn. */
import type { Cause } from "../domain/domain.ts";
import { visible } from "./visible.ts";

/** Used when a WORKFLOW.md has settings but no body (SPEC 5.4). */
export const defaultTemplate = `You are working on the Linear issue {{ issue.identifier }}: {{ issue.title }}

State: {{ issue.state }}
{% if issue.url %}Address: {{ issue.url }}
{% endif %}{% if issue.description %}
The description, as its author wrote it:

{{ issue.description }}
{% endif %}
Do what the issue asks, in this directory only. Check your work. When it is done, move the issue out of its present
state, so that nobody is sent to it again.`;

/** Of which issue a run was begun, and why. */
export interface Begun {
  readonly identifier: string;
  readonly cause: Cause;
}

/** Of what turn a text is the input; the cause is for the first one. */
interface TurnOf extends Begun {
  /** Counts from 1 within the run. */
  readonly turn: number;
  readonly turnsMax: number;
}

/**
 * The input of a turn on a thread that has the prompt already (SPEC 7.1): it must not be sent again, and the agent must
 * know why it is asked to go on.
 */
export const continuationGuidance = (of: TurnOf & { readonly state: string }): string =>
  `${of.turn === 1 ? begunBecause(of) : `The last turn has ended and ${of.identifier} is in the active state "${words(of.state)}", so the work goes on.`} ${turnsOf(of)}

- Your task and what you did so far are in this thread. Do not start over.
- Look at the present state first: the working tree, the latest commits, and new comments on ${of.identifier}. They may have changed since your last turn, and a person's new comment outranks the plan.
- Then do the next unfinished step. Repeat an investigation or a test only where something changed since.
- The work is over when ${of.identifier} has left its active states. If all is done, move it on now as the task describes.
- If you cannot go on without a person, say on the issue what is missing and why, move it where the task says blocked work goes, and stop.`;

/** The input of a turn on a thread that knows another prompt, or that has to read this one again. */
export const renewedPrompt = (of: TurnOf, prompt: string): string =>
  `${of.turn === 1 ? begunBecause(of) : `The task of ${of.identifier} has changed since your last turn.`} ${turnsOf(of)}

What follows is the task as it is now. It takes the place of every earlier text of the task in this thread; where they differ, this one holds. What you did so far is in this thread too: do not start over, look first at what there is now, the working tree, the latest commits and new comments on ${of.identifier}.

${prompt}`;

const turnsOf = ({ turn, turnsMax }: TurnOf): string => `This is turn ${turn} of at most ${turnsMax}.`;

/** One sentence; true also when much else has happened. */
export function begunBecause({ identifier, cause }: Begun): string {
  switch (cause.type) {
    case "first":
      return `A new session on ${identifier} begins.`;
    case "continued":
      return `The last session on ${identifier} ended after ${cause.turns} ${cause.turns === 1 ? "turn" : "turns"}, and the work goes on in a new one.`;
    case "retried":
      return `The last session on ${identifier} came to an early end, and this one tries again: "${words(cause.why)}"`;
    case "given_back":
      return `Somebody has given ${identifier} back: it was in the state "${words(cause.before)}" after the last session, and has been set to "${words(cause.state)}" since.`;
    case "released":
      return `${identifier} was put aside after the last session ("${words(cause.parked)}"), and a person has released it.`;
    case "restarted":
      return `The last session on ${identifier} was interrupted because Baton itself ended, and this one goes on from there.`;
  }
}

/** Others have written it: in a sentence of ours it is a few words on one line. */
const WORDS_MAX = 300;

const words = (text: string): string => {
  const line = visible(text).replace(/\s+/g, " ").trim();
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line;
};

/** Said at the start of a run whose predecessor ended while it asked the tracker to do something. */
export const unsettledNote = (
  calls: readonly { readonly fields: readonly string[]; readonly newIds: readonly string[] }[],
): string =>
  `The last session ended before Linear had answered these calls, so nobody knows whether they were done:

${calls.map(unsettledLine).join("\n")}

Find out before you do any of it again: ask Linear for what has that id, or look at the issue and its comments.`;

const unsettledLine = ({
  fields,
  newIds,
}: {
  fields: readonly string[];
  newIds: readonly string[];
}): string =>
  `- ${fields.join(", ")}${newIds.length === 0 ? "" : ` (what it creates has the id ${newIds.join(", ")})`}`;

/** What a running turn is told when most of its issue's tokens are used up. */
export const landingRequest = (used: number, max: number): string =>
  `This ticket has used ${used} of its ${max} tokens; at the limit you are interrupted. Come to an end now: commit what ` +
  "you have, write down on the ticket or in the workspace where you are and what is left, and end your turn.";
