import { describe, expect, test } from "vitest";
import { after, HOUR_MS, instant, type Instant } from "../../../../src/domain/time.ts";
import { REST, SHARES } from "../../../../src/tracker/linear/accounts.ts";
import { Budget, budgets, USUAL } from "../../../../src/tracker/linear/budget.ts";
import { pointsFor, POINTS_PER_NODE, type Use } from "../../../../src/tracker/linear/points.ts";
import { madeIssue, T0 } from "../../scheduler/made.ts";
import { blocked, BlockedBoard } from "./blocked-board.ts";

const INTERVAL_MS = 30_000;
const PAGE = pointsFor(50, POINTS_PER_NODE.candidates);

const pagesOf = (tickets: number): number => Math.ceil(tickets / 50);

interface Board {
  readonly name: string;
  readonly tickets: number;
}

/** Scans, refreshes of running issues and looks, as often as the budget lets them, and agents that ask a lot. */
class Hours {
  now: Instant = instant(1_700_000_000_000);
  readonly budget = new Budget(() => this.now);
  readonly sent: { readonly at: Instant; readonly use: Use; readonly points: number }[] = [];
  readonly scans = new Map<string, number>();
  refused = 0;

  spend(use: Use, points: number): void {
    this.sent.push({ at: this.now, use, points });
    this.budget.spend(use, points);
  }

  live(hours: number, boards: readonly Board[], each: () => void = () => {}): void {
    for (
      const until = after(this.now, hours * HOUR_MS);
      this.now < until;
      this.now = after(this.now, INTERVAL_MS)
    ) {
      for (const board of boards) this.#tick(board);
      each();
    }
  }

  #tick({ name, tickets }: Board): void {
    if (this.budget.beginScan(name, INTERVAL_MS)) {
      const pages = pagesOf(tickets);
      for (let page = 0; page < pages; page += 1) this.spend("scan", PAGE);
      this.budget.endScan(name, { points: pages * PAGE, requests: pages });
      this.scans.set(name, (this.scans.get(name) ?? 0) + 1);
    } else if (this.budget.beginRefresh(name, pointsFor(10, POINTS_PER_NODE.statuses)))
      this.spend("running", pointsFor(10, POINTS_PER_NODE.statuses));
  }

  /** A look at ten candidates, when there is room for it. */
  look(): boolean {
    const points = pointsFor(10, POINTS_PER_NODE.issues);
    const may = this.budget.mayAsk("hydration", { points, requests: 1 }) === null;
    if (may) this.spend("hydration", points);
    else this.refused += 1;
    return may;
  }

  /** Of the last hour. */
  used(use?: Use): number {
    return this.sent
      .filter((one) => (use === undefined || one.use === use) && one.at > after(this.now, -HOUR_MS))
      .reduce((sum, { points }) => sum + points, 0);
  }
}

describe.each([
  ["450 active tickets", 450],
  ["5,000 active tickets", 5_000],
])("with %s and an interval of 30 s", (_, tickets) => {
  test("an hour's scans stay within their share, and everybody else has theirs", () => {
    const hours = new Hours();
    hours.live(3, [{ name: "main", tickets }], () => {
      if (hours.used("agents") < SHARES.agents * USUAL.points - 500) hours.spend("agents", 250);
      if (hours.used("hydration") < SHARES.hydration * USUAL.points - 2_000) hours.look();
    });
    // One scan more than its share at most: any hour may begin with one.
    expect(hours.used("scan")).toBeLessThanOrEqual(SHARES.scan * USUAL.points + pagesOf(tickets) * PAGE);
    expect(hours.used("running")).toBeLessThanOrEqual(SHARES.running * USUAL.points * 1.05);
    expect(hours.used()).toBeLessThanOrEqual(USUAL.points);
    expect(hours.sent.filter(({ at }) => at > after(hours.now, -HOUR_MS)).length).toBeLessThan(
      USUAL.requests,
    );
    // Nothing starves: a scan goes on, running issues are looked up, and nobody was refused within its share.
    expect(hours.scans.get("main")).toBeGreaterThanOrEqual(6);
    expect(hours.used("running")).toBeGreaterThan(0);
    expect(hours.refused).toBe(0);
  });

  test("looks at candidates without an end leave the others what is kept for them", () => {
    const hours = new Hours();
    hours.live(3, [{ name: "main", tickets }], () => {
      for (let n = 0; n < 20; n += 1) hours.look();
    });
    expect(hours.refused).toBeGreaterThan(0);
    expect(hours.used("hydration")).toBeGreaterThanOrEqual(SHARES.hydration * USUAL.points - 2_000);
    expect(hours.used() + SHARES.agents * USUAL.points).toBeLessThanOrEqual(USUAL.points);
    expect(hours.used("scan")).toBeGreaterThan(0);
  });
});

test.each([
  [100, 30_000],
  [450, 120_000],
  [1_000, 270_000],
  [2_000, 510_000],
  [5_000, 1_260_000],
])("%i active tickets are scanned every %i ms", (tickets, everyMs) => {
  const hours = new Hours();
  hours.live(0.1, [{ name: "main", tickets }]);
  const { why, ...pace } = hours.budget.pace("main", INTERVAL_MS);
  expect(pace).toEqual({ everyMs });
  expect(why).toBe(everyMs === INTERVAL_MS ? null : "Linear allows 250000 points an hour");
});

test("a small board is scanned as often as it wishes beside a large one with the same key", () => {
  const hours = new Hours();
  hours.live(2, [
    { name: "small", tickets: 20 },
    { name: "large", tickets: 5_000 },
  ]);
  expect(hours.scans.get("small")).toBe(240);
  expect(hours.used("scan")).toBeLessThanOrEqual(SHARES.scan * USUAL.points + 100 * PAGE);
});

test("what an answer says of the limits counts, and what others with the key have used", () => {
  const hours = new Hours();
  hours.live(0.1, [{ name: "main", tickets: 450 }]);
  const generous = { "complexity-limit": 3_000_000, "complexity-remaining": 2_900_000 };
  hours.budget.heard({ ...generous, "requests-limit": 2_500, "requests-remaining": 2_400 });
  expect(hours.budget.pace("main", INTERVAL_MS)).toEqual({
    everyMs: 60_000,
    why: "Linear allows 2500 requests an hour",
  });
  hours.budget.heard({ "complexity-limit": 250_000, "complexity-remaining": 2_000 });
  const look = { points: 2_100, requests: 1 };
  expect(hours.budget.mayAsk("hydration", look)).toEqual(after(hours.now, 60_000));
  // It fills up again by itself.
  hours.now = after(hours.now, 60_000);
  expect(hours.budget.mayAsk("hydration", look)).toBeNull();
});

test("all workflows with one key and place have one budget", () => {
  const of = budgets(() => instant(0));
  const key = { endpoint: "https://api.linear.app/graphql", apiKey: "lin_1" };
  expect(of({ ...key, apiKey: "lin_1 " })).toBe(of(key));
  expect(of({ ...key, apiKey: "lin_2" })).not.toBe(of(key));
});

const READY = madeIssue("B-1", { priority: 4 });

/** Agents that use up their share and all that is in none, hour after hour. */
const HUNGRY = SHARES.agents + REST;

test.each([
  ["while nobody else needs what is in no share, within 3 scans", 3, 0],
  ["by the share of looks alone, within 10 scans", 10, HUNGRY],
])("a ready ticket behind 1,000 blocked ones starts %s", (_, scans, agents) => {
  const board = new BlockedBoard([...blocked(1_000), READY], agents);
  board.live(scans);
  expect(board.started()).toEqual(["B-1"]);
  // Each was looked at once: a second look at one that was refused is for later.
  expect(board.spent()).toBeLessThanOrEqual(pointsFor(1_010, POINTS_PER_NODE.issues));
});

test("looks at a blocked board stay within their share, hour after hour, and take nothing of the rest", () => {
  const board = new BlockedBoard(blocked(90));
  board.live(Number.POSITIVE_INFINITY, () => board.bench.now > T0 + 6 * HOUR_MS);
  const last = board.looks.filter(({ at }) => at > board.bench.now - HOUR_MS);
  const points = last.reduce((sum, one) => sum + one.points, 0);
  expect(points).toBeLessThanOrEqual(SHARES.hydration * USUAL.points);
  expect(points).toBeGreaterThan(0);
});

test("a ticket that comes to a board of blocked ones starts with the scan that shows it, whatever the others have used", () => {
  const board = new BlockedBoard(blocked(90));
  board.live(Number.POSITIVE_INFINITY, () => board.bench.now > T0 + 6 * HOUR_MS);
  const before = board.scans;
  board.issues = [...board.issues, { ...READY, createdAt: board.bench.now }];
  board.live(before + 1);
  expect(board.started()).toEqual(["B-1"]);
});

test("one that was blocked and has changed starts with the scan that shows it, in the middle of a first look at 1,000", () => {
  const [first, ...others] = blocked(1_000);
  if (first === undefined) throw new Error("no first");
  const board = new BlockedBoard([first, ...others], HUNGRY);
  board.live(2, () => false);
  const before = board.scans;
  board.issues = [{ ...first, blockedBy: [], updatedAt: after(board.bench.now, 1) }, ...others];
  // A look of ten is there every two minutes at the latest; a scan of such a board comes every four and a half.
  board.live(before + 2);
  expect(board.started()).toEqual([first.identifier]);
});
