/** Counts what went wrong in attacks on workspaces, and says each on stderr so that it can be tried again. */
import { existsSync, lstatSync, rmSync } from "node:fs";
import type { Figures } from "../figures.ts";
import type { Ground } from "./ground.ts";
import { isNamed, type Step } from "./life.ts";

type Wrong = "changed" | "read" | "listed" | "leaked" | "ran" | "hung" | "unnamed" | "surprises";

export class Tally {
  kinds = 0;
  identifiers = 0;
  directed = 0;
  races = 0;
  swaps = 0;
  readonly #ground: Ground;
  readonly #counts = {
    changed: 0,
    read: 0,
    listed: 0,
    leaked: 0,
    ran: 0,
    hung: 0,
    unnamed: 0,
    surprises: 0,
    refused: 0,
    steps: 0,
  };
  #slowest = { ms: 0, what: "" };

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  step(name: string, step: Step): Step {
    this.#counts.steps++;
    if (step.ms > this.#slowest.ms) this.#slowest = { ms: step.ms, what: `${step.step} in ${name}` };
    if (step.hung) this.#wrong("hung", name, `${step.step} did not end`);
    else if (step.answer === null) {
      this.#counts.refused++;
      if (!isNamed(step.error)) this.#wrong("unnamed", name, `${step.step}: ${String(step.error)}`);
    }
    return step;
  }

  surprise(name: string, what: string): void {
    this.#wrong("surprises", name, what);
  }

  /** Looks at what nobody may touch; `reads` is what may be read all the same. */
  look(name: string, reads?: RegExp): void {
    const { changed, read } = this.#ground.damage();
    const forbidden = read.filter((path) => reads?.test(path) !== true);
    if (changed.length > 0) this.#wrong("changed", name, changed.join(", "));
    if (forbidden.length > 0) this.#wrong("read", name, forbidden.join(", "));
    this.#lookInside(name);
  }

  /**
   * The same after a race. Git goes by names: a swap between its look at a directory and its step into it makes it list
   * one outside. Names, which are then found to be nothing of the workspace: counted by itself, files are not.
   */
  lookAfterRace(name: string): void {
    const { changed, read } = this.#ground.damage();
    const files = read.filter((path) => !lstatSync(path).isDirectory());
    if (changed.length > 0) this.#wrong("changed", name, changed.join(", "));
    if (files.length > 0) this.#wrong("read", name, read.join(", "));
    else if (read.length > 0) this.#wrong("listed", name, read.join(", "));
    this.#lookInside(name);
  }

  #lookInside(name: string): void {
    const leaks = this.#ground.leaks();
    if (leaks.length > 0) this.#wrong("leaked", name, leaks.join(", "));
    if (existsSync(this.#ground.sprung)) this.#wrong("ran", name, "a program of the workspace was run");
    rmSync(this.#ground.sprung, { force: true });
  }

  figures(rounds: number): Figures {
    const { kinds, identifiers, directed, races, swaps } = this;
    process.stderr.write(`hostile workspaces: the slowest step was ${this.#slowest.what}\n`);
    const tellsReads = this.#ground.tellsReads ? 1 : 0;
    const slowestMs = Math.round(this.#slowest.ms);
    return { rounds, kinds, identifiers, directed, races, swaps, tellsReads, ...this.#counts, slowestMs };
  }

  #wrong(what: Wrong, name: string, how: string): void {
    this.#counts[what]++;
    process.stderr.write(`hostile workspaces: ${what}: ${name}: ${how}\n`);
  }
}
