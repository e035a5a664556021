/** Texts that we say to the agent ourselves: the prompt of a workflow without one, and the start of every later turn. */

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

/**
 * The input of a turn on a thread that has the prompt already (SPEC 7.1): it must not be sent again, and the agent must
 * know why it is asked to go on. `turn` counts from 1 within the run.
 */
export function continuationGuidance(of: {
  readonly identifier: string;
  readonly turn: number;
  readonly turnsMax: number;
  readonly attempt: number | null;
}): string {
  return `${opening(of)}

- Your task and what you did so far are in this thread. Do not start over.
- Look at the present state first: the working tree, the latest commits, and new comments on ${of.identifier}. They may have changed since your last turn, and a person's new comment outranks the plan.
- Then do the next unfinished step. Repeat an investigation or a test only where something changed since.
- The work is over when ${of.identifier} has left its active states. If all is done, move it on now as the task describes.
- If you cannot go on without a person, say on the issue what is missing and why, move it where the task says blocked work goes, and stop.`;
}

function opening(of: { identifier: string; turn: number; turnsMax: number; attempt: number | null }): string {
  const turns = `This is turn ${of.turn} of at most ${of.turnsMax}`;
  return of.turn === 1 && of.attempt !== null
    ? `A new session (number ${of.attempt + 1}) on ${of.identifier} begins: the last one ended while the issue was still active. ${turns}.`
    : `${of.identifier} is still in an active state, so the work goes on. ${turns}.`;
}

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
