/** A board on which nearly everything is blocked, under the budget that Linear's usual limits leave. */
import type { Issue } from "../../../../src/domain/issue.ts";
import { HOUR_MS } from "../../../../src/domain/time.ts";
import { Budget, USUAL } from "../../../../src/tracker/linear/budget.ts";
import { SCAN_PAGE_SIZE } from "../../../../src/tracker/linear/documents.ts";
import { pointsFor, POINTS_PER_NODE } from "../../../../src/tracker/linear/points.ts";
import { Bench, madeIssue, madePolicy, summaryOf, W } from "../../scheduler/made.ts";

const INTERVAL_MS = 30_000;
const TICK_MS = 10_000;
const blockedBy = [{ id: "b", identifier: "B-1", state: "Todo" }];

/** Answers the scheduler's questions as far as the budget lets it ask, as the chores do. */
export class BlockedBoard {
  readonly bench = new Bench(madePolicy({ agentsMax: 1, pollIntervalMs: INTERVAL_MS }));
  readonly budget = new Budget(() => this.bench.now);
  readonly looks: { readonly at: number; readonly points: number }[] = [];
  issues: readonly Issue[];
  scans = 0;
  readonly #agents: number;

  /** `agents`: the part of what Linear allows that agents ask for. */
  constructor(issues: readonly Issue[], agents = 0) {
    this.issues = issues;
    this.#agents = agents;
    this.budget.spend("agents", agents * USUAL.points);
  }

  /** Until something has started, or so many scans are over. */
  live(scansMax: number, until: () => boolean = () => this.started().length > 0): void {
    for (this.#answer(); this.scans < scansMax && !until(); this.#answer()) {
      this.bench.pass(TICK_MS);
      this.budget.spend("agents", (this.#agents * USUAL.points * TICK_MS) / HOUR_MS);
    }
  }

  started(): readonly string[] {
    return [...this.bench.state.claims.running.values()].map(({ issue }) => issue.identifier);
  }

  spent(): number {
    return this.looks.reduce((sum, { points }) => sum + points, 0);
  }

  #answer(): void {
    for (let busy = true; busy; ) {
      const scans = this.bench.take("poll");
      for (const _ of scans) this.#scan();
      const asked = this.bench.take("revalidate");
      for (const { ids, isAgain } of asked) this.#look(ids, isAgain === true);
      busy = scans.length + asked.length > 0;
    }
  }

  #scan(): void {
    if (!this.budget.beginScan("main", INTERVAL_MS))
      return void this.bench.say({
        type: "scan_put_off",
        workflow: W,
        pace: this.budget.pace("main", INTERVAL_MS),
      });
    this.scans += 1;
    const pages = Math.ceil(this.issues.length / SCAN_PAGE_SIZE);
    const page = pointsFor(SCAN_PAGE_SIZE, POINTS_PER_NODE.candidates);
    for (let n = 0; n < pages; n += 1) this.budget.spend("scan", page);
    this.budget.endScan("main", { points: pages * page, requests: pages });
    this.bench.say({ type: "polled", workflow: W, candidates: this.issues.map(summaryOf), tookMs: 1 });
  }

  #look(ids: readonly string[], isAgain: boolean): void {
    const points = pointsFor(ids.length, POINTS_PER_NODE.issues);
    const cost = { points, requests: 1 };
    const until = isAgain ? this.budget.mayLookAgain(cost) : this.budget.mayAsk("hydration", cost);
    if (until !== null)
      return void this.bench.say({ type: "look_put_off", workflow: W, until, why: "used up" });
    this.budget.spend("hydration", points);
    this.looks.push({ at: this.bench.now, points });
    const issues = this.issues.filter(({ id }) => ids.includes(id));
    this.bench.say({ type: "revalidated", workflow: W, ids: issues.map(({ id }) => id), issues });
  }
}

export const blocked = (count: number): readonly Issue[] =>
  Array.from({ length: count }, (_, n) =>
    madeIssue(`A-${String(n).padStart(4, "0")}`, { priority: 1, blockedBy }),
  );
