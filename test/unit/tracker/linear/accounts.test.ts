import { expect, test } from "vitest";
import { after, HOUR_MS, instant, type Instant } from "../../../../src/domain/time.ts";
import { Accounts, REST, SHARES } from "../../../../src/tracker/linear/accounts.ts";

const LIMIT = 100_000;
const SHARE = SHARES.hydration * LIMIT;
const all = REST * LIMIT;
const points = (points: number) => ({ points, requests: 1 });

class Key {
  now: Instant = instant(0);
  readonly of = new Accounts(() => this.now, "points", LIMIT);
}

test("a share that is used up fills up again evenly, and not when an hour is over", () => {
  const key = new Key();
  key.of.spend("hydration", points(SHARE + all));
  const wait = key.of.waitFor("hydration", points(1_000));
  expect(wait).toBe(Math.ceil((1_000 / (SHARE + all)) * HOUR_MS));
  key.now = after(key.now, wait);
  expect(key.of.waitFor("hydration", points(1_000))).toBe(0);
});

test("who needs more than its share takes of the rest, and never of the shares of others", () => {
  const key = new Key();
  key.of.spend("hydration", points(SHARE + all));
  expect(key.of.keptFrom("hydration")).toBeCloseTo(LIMIT - SHARE - all);
  expect(key.of.waitFor("scan", points(SHARES.scan * LIMIT))).toBe(0);
  expect(key.of.waitFor("scan", points(SHARES.scan * LIMIT + 100))).toBeGreaterThan(0);
});

test("what costs more than there can ever be goes when everything is there", () => {
  const key = new Key();
  expect(key.of.waitFor("hydration", points(10 * LIMIT))).toBe(0);
  key.of.spend("hydration", points(100));
  expect(key.of.waitFor("hydration", points(10 * LIMIT))).toBeGreaterThan(0);
});

test("a part of a share can be left untouched", () => {
  const key = new Key();
  expect(key.of.leaves(0.5, "hydration", points(SHARE / 2))).toBe(true);
  expect(key.of.leaves(0.5, "hydration", points(SHARE / 2 + 1))).toBe(false);
});

test("a clock that goes back fills nothing and takes nothing", () => {
  const key = new Key();
  key.now = instant(HOUR_MS);
  key.of.spend("hydration", points(SHARE + all));
  key.now = instant(0);
  expect(key.of.waitFor("hydration", points(1_000))).toBeGreaterThan(0);
});
