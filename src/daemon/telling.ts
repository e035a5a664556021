/**
 * What each turn of a run is told: the prompt as it is now, where its thread does not know it; else guidance to go on
 * (SPEC 6.2, 7.1, 12.3).
 */
import type { Issue, Run, Said, ThreadId, Told, Workflow } from "../domain/domain.ts";
import type { Telling as Known } from "../scheduler/scheduler.ts";
import type { RepositoryWork } from "../workspace/workspace.ts";
import {
  INPUT_CHARACTERS_MAX,
  lengthOf,
  roomBeside,
  withNote,
  continuationGuidance,
  handOverNote,
  promptDigest,
  renderPrompt,
  renewedPrompt,
  type Done,
} from "../workflow/workflow.ts";

export interface TellingParts {
  readonly run: Run;
  readonly known: Known;
  /** What was done before, when a new thread takes over from another; null = nothing that it has to know. */
  readonly done: () => Done | null;
  /** Whether the workspace was there before this run: then there is work in it, also where no last run is known. */
  readonly isOld: () => boolean;
  /** What git says of the workspace; null when it cannot be told. */
  readonly work: () => Promise<readonly RepositoryWork[] | null>;
  /** As loaded last: a reload reaches the next turn. */
  readonly workflow: () => Workflow;
}

/** The turn that is to be told something. */
export interface Next {
  readonly turn: number;
  readonly turnsMax: number;
  /** As it is now. */
  readonly issue: Issue;
  readonly thread: ThreadId;
  /** The thread was there before the run. */
  readonly resumed: boolean;
}

export class Telling {
  readonly #parts: TellingParts;
  #told: Told | null;

  constructor(parts: TellingParts) {
    this.#parts = parts;
    this.#told = parts.known.told;
  }

  /** The whole prompt, as a thread gets it that knows nothing. @throws PromptError */
  prompt(issue: Issue): Promise<string> {
    return renderPrompt(this.#parts.workflow(), issue, this.#parts.run.attempt);
  }

  /** The input of this turn, and which prompt the thread knows with it. @throws PromptError */
  async next(next: Next): Promise<Said> {
    const { issue, thread } = next;
    const { state } = this.#parts.known;
    const digest = await promptDigest(this.#parts.workflow(), issue, state);
    const isKnown = this.#told?.thread === thread && this.#told.digest === digest;
    const told = { thread, digest, state };
    this.#told = told;
    return { text: await this.#text(next, isKnown), told };
  }

  async #text({ turn, turnsMax, issue, resumed }: Next, isKnown: boolean): Promise<string> {
    const { cause } = this.#parts.known;
    const of = { identifier: issue.identifier, turn, turnsMax, cause };
    if (turn === 1 && !resumed) return this.#begin(issue);
    // Given back, released or after a failure, the agent should read its task again, also where it is the same.
    const goesOn = turn > 1 || cause.type === "continued" || cause.type === "restarted";
    if (isKnown && goesOn) return continuationGuidance({ ...of, state: issue.state });
    const prompt = await this.prompt(issue);
    const renewed = renewedPrompt(of, prompt);
    // Beside a prompt that takes all the room there is none for the words around it.
    return lengthOf(renewed) <= INPUT_CHARACTERS_MAX ? renewed : prompt;
  }

  /** A new thread gets the prompt, and what an earlier one knew. */
  async #begin(issue: Issue): Promise<string> {
    const { known, done, work, isOld } = this.#parts;
    const prompt = await this.prompt(issue);
    const before = known.cause.type === "first" && !isOld() ? null : done();
    if (before === null) return prompt;
    const of = { identifier: issue.identifier, cause: known.cause };
    const note = handOverNote(of, before, await work(), roomBeside(prompt));
    return note === "" ? prompt : withNote(prompt, note);
  }
}
