import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noTokens } from "../../../src/domain/run.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import type { Claim, Parked, Running, Waiting } from "../../../src/scheduler/state.ts";
import { T0, madeIssue, madeParked, madeRunning, madeWaiting } from "./made.ts";

const waiting = (key: string, ms: number): Waiting => madeWaiting(madeIssue(key), { retryAt: after(T0, ms) });
const parked = (key: string): Parked => madeParked(madeIssue(key));
const running = (key: string, total = 0): Running =>
  madeRunning(madeIssue(key), { tokens: { ...noTokens, total } });

const byKey = fc.integer({ min: 0, max: 30 }).map((n) => `A-${n}`);
const anyClaim: fc.Arbitrary<Claim> = fc.oneof(
  fc.tuple(byKey, fc.integer({ min: -5, max: 5 })).map(([key, ms]) => waiting(key, ms)),
  byKey.map(parked),
  fc.tuple(byKey, fc.nat({ max: 9 })).map(([key, total]) => running(key, total)),
);
const changes = fc.array(fc.oneof(anyClaim, byKey), { maxLength: 150 });

const sorted = (claims: Iterable<Claim>): readonly Claim[] =>
  [...claims].sort((a, b) => (a.issue.id < b.issue.id ? -1 : 1));

test("whatever is put and taken away, an issue has one claim, and every place tells of the same claims", () => {
  fc.assert(
    fc.property(changes, (walk) => {
      let claims = Claims.of([]);
      const model = new Map<string, Claim>();
      for (const change of walk) {
        const before = claims;
        if (typeof change === "string") {
          const { id } = madeIssue(change);
          claims = claims.without(id);
          model.delete(id);
        } else {
          claims = claims.with(change);
          model.set(change.issue.id, change);
          expect(claims.newSince(before)).toEqual([change]);
        }
        expect(claims.size).toBe(model.size);
      }
      const all = [...model.values()];
      for (const [id, claim] of model) expect(claims.get(madeIssue(id.slice(3)).id)).toBe(claim);
      expect(sorted(claims.values())).toEqual(sorted(all));
      expect(sorted(claims.running.values())).toEqual(sorted(all.filter(({ phase }) => phase === "running")));
      expect(sorted(claims.waiting)).toEqual(sorted(all.filter(({ phase }) => phase === "waiting")));
      const times = claims.waiting.map(({ retryAt }) => retryAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(sorted(Claims.of(all).values())).toEqual(sorted(all));
    }),
  );
});

test("a change leaves the claims as they were as they were", () => {
  const before = Claims.of([waiting("A-1", 10), running("A-2"), parked("A-3")]);
  const seen = sorted(before.values());
  before.with(running("A-1")).with(parked("A-2")).without(madeIssue("A-3").id).with(waiting("A-4", 0));
  expect(sorted(before.values())).toEqual(seen);
  expect(before.waiting).toHaveLength(1);
});

describe("of those that wait", () => {
  const claims = Claims.of([waiting("A-1", 30), waiting("A-2", 10), waiting("A-3", 20), parked("A-4")]);

  test("those are due whose time has come, the one of this instant too", () => {
    expect(claims.due(after(T0, 20)).map(({ issue }) => issue.identifier)).toEqual(["A-2", "A-3"]);
    expect(claims.due(T0)).toEqual([]);
  });

  test("the next is the first whose time has not come", () => {
    expect(claims.nextDue(T0)).toBe(after(T0, 10));
    expect(claims.nextDue(after(T0, 10))).toBe(after(T0, 20));
    expect(claims.nextDue(after(T0, 30))).toBeNull();
    expect(claims.nextDue(instant(0))).toBe(after(T0, 10));
  });
});
