/**
 * Effect type to runner, one line each in `#begin`. Runners do real work and report back with events; they decide
 * nothing. No runner rejects: trouble is news.
 */
import type { Work } from "../scheduler/scheduler.ts";
import {
  Attempts,
  check,
  type ChoresParts,
  Examinations,
  poll,
  Removals,
  revalidate,
  Surveys,
  Sweeps,
} from "./chores/chores.ts";
import type { Failpoint } from "./failpoints.ts";

export interface RunnersParts extends ChoresParts {
  readonly onExit: (clean: boolean) => void;
  /** A test may end the process when a piece of work is done. */
  readonly failpoint?: Failpoint | undefined;
}

export class Runners {
  readonly #parts: RunnersParts;
  readonly #attempts: Attempts;
  readonly #examinations: Examinations;
  readonly #removals: Removals;
  readonly #surveys: Surveys;
  readonly #sweeps: Sweeps;
  /** Ends tracker requests that nobody will hear the answer of. */
  readonly #abort = new AbortController();

  constructor(parts: RunnersParts) {
    this.#parts = parts;
    this.#attempts = new Attempts(parts);
    this.#examinations = new Examinations(parts);
    this.#removals = new Removals(parts);
    this.#surveys = new Surveys(parts);
    this.#sweeps = new Sweeps(parts);
  }

  run(work: Work): void {
    const done = this.#begin(work);
    const { failpoint } = this.#parts;
    if (failpoint !== undefined)
      void Promise.resolve(done).then(() => failpoint(`${work.type}: after effect`));
  }

  /** A promise, for work that is not done at once. */
  #begin(work: Work): unknown {
    const { signal } = this.#abort;
    switch (work.type) {
      case "poll":
        return this.#poll(work, signal);
      case "revalidate":
        return revalidate(work, this.#parts, signal);
      case "sweep":
        return this.#sweeps.sweep(work, signal);
      case "examine":
        return this.#examinations.examine(work, signal);
      case "remove":
        return this.#removals.remove(work);
      case "start":
        return this.#attempts.start(work);
      case "check":
        return check(work, this.#parts, signal);
      case "turn":
        return this.#attempts.of(work.runId)?.turn(work);
      case "steer":
        return this.#attempts.of(work.runId)?.steer(work);
      case "pulse":
        return this.#attempts.of(work.runId)?.pulse();
      case "stop":
        return this.#attempts.of(work.runId)?.stop(work.why, work.survey);
      case "exit":
        return this.#parts.onExit(work.clean);
    }
  }

  /** The scan asks first: nothing waits for what is only for people to see. */
  #poll(work: Extract<Work, { type: "poll" }>, signal: AbortSignal): Promise<void> {
    const polled = poll(work, this.#parts, signal);
    void this.#surveys.look(work.workflow, signal);
    return polled;
  }

  /** What the agents do just now, by run. */
  underWay(): ReturnType<Attempts["underWay"]> {
    return this.#attempts.underWay();
  }

  /** Ends every run under way without patience for its turn; resolves when all have told that they are over. */
  endAttempts(): Promise<void> {
    return this.#attempts.end();
  }

  /** Gives up on requests under way, and waits so long for removals that have begun. */
  close(patienceMs: number): Promise<void> {
    this.#abort.abort();
    return this.#removals.close(patienceMs);
  }
}
