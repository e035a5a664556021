/**
 * Removals of one daemon, as daemon/chores/remove.ts does them: a few at a time, the others stand in line; each takes as
 * long as a rescue and a disk take. What stands in line or is under way goes with the process.
 */
import type { IssueId } from "../../src/domain/issue.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { Ground } from "./ground.ts";
import type { Random } from "./random.ts";

/** As many as the daemon has. */
const AT_ONCE = 2;

/** From an empty directory to a rescue that has just not been given up. */
const SHORTEST_MS = 200;
const LONGEST_MS = 10 * 60_000;

/** A disk over the network, or a survey of a million files: then the others stand in line. */
const SLOW_SHARE = 0.3;
const SLOW_MS = 20 * 60_000;

type RemoveWork = Extract<Work, { type: "remove" }>;

export interface RemovalsParts {
  readonly ground: Ground;
  /** The daemon's own question, when the turn of a removal has come. */
  readonly mayRemove: (issue: IssueId) => boolean;
  readonly isAlive: () => boolean;
  /** The directory begins to go; it is gone. */
  readonly begins: (work: RemoveWork) => void;
  readonly gone: (issue: IssueId) => void;
}

export class SimRemovals {
  readonly #parts: RemovalsParts;
  readonly #random: Random;
  readonly #line: RemoveWork[] = [];
  /** When those under way are over. */
  readonly #underWay = new Map<IssueId, number>();

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
    this.#random = parts.ground.stream("removals");
  }

  ask(work: RemoveWork): void {
    this.#line.push(work);
    this.#next();
  }

  /** How long a workspace of this issue cannot be made yet, because the one before is being removed. */
  leftMs(issue: IssueId): number {
    return Math.max(0, (this.#underWay.get(issue) ?? 0) - this.#parts.ground.timeline.at);
  }

  #next(): void {
    while (this.#underWay.size < AT_ONCE) {
      const at = this.#line.findIndex(({ issueId }) => !this.#underWay.has(issueId));
      const [work] = at === -1 ? [] : this.#line.splice(at, 1);
      if (work === undefined) return;
      if (this.#parts.mayRemove(work.issueId)) this.#begin(work);
      else this.#parts.ground.figures.add("removalsCalledOff");
    }
  }

  #lasts(): number {
    const longest = this.#random.spread(SHORTEST_MS, LONGEST_MS);
    return this.#random.chance(SLOW_SHARE) ? SLOW_MS : longest;
  }

  #begin(work: RemoveWork): void {
    const { ground, begins, gone, isAlive } = this.#parts;
    const lasts = ground.calm() ? SHORTEST_MS : this.#lasts();
    this.#underWay.set(work.issueId, ground.timeline.at + lasts);
    begins(work);
    ground.timeline.in(lasts, () => {
      if (!isAlive()) return;
      this.#underWay.delete(work.issueId);
      gone(work.issueId);
      this.#next();
    });
  }
}
