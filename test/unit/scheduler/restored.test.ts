import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { after, type Instant } from "../../../src/domain/time.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import type { Hold, State, Waiting } from "../../../src/scheduler/state.ts";
import { Bench, T0, W, madeIssue, madePolicy, madeHold } from "./made.ts";

const [MINUTE, DAY] = [60_000, 24 * 3_600_000];
const ISSUE = madeIssue("A-1");
const TOMORROW = after(T0, DAY);

const waiting = (retryAt: Instant): Waiting => ({
  phase: "waiting",
  workflow: W,
  issue: ISSUE,
  retryAt,
  attempt: 1,
  kind: "retry",
  why: "it died",
  failure: failure("port_exit", "it died"),
});

/** What a start finds in the ledger. */
const restored = (retryAt: Instant, hold: Hold | null = null): State => ({
  ...initialState,
  claims: Claims.of([waiting(retryAt)]),
  holds: hold === null ? new Map() : new Map([[W, hold]]),
});

const held = (until: Instant, refusals: number): Hold =>
  madeHold({ until, refusals, under: madePolicy().codexHash });

const start = (state: State) =>
  decide(state, { type: "configured", policy: madePolicy({ backoffMaxMs: 5 * MINUTE }), at: T0 });

describe("after the clock was set back, what a start finds in the ledger", () => {
  test("waits no longer than a new wait could last, and that is written down", () => {
    const { state, records } = start(restored(TOMORROW));
    const claim = waiting(after(T0, 5 * MINUTE));
    expect(state.claims.get(ISSUE.id)).toEqual(claim);
    expect(records).toEqual([{ type: "claim", claim, at: T0 }]);
  });

  test("is left alone when it is not too far away", () => {
    const { state, records } = start(restored(after(T0, 5 * MINUTE)));
    expect(state.claims.get(ISSUE.id)).toEqual(waiting(after(T0, 5 * MINUTE)));
    expect(records).toEqual([]);
  });

  test("holds for an hour at most when the hold was a guess", () => {
    const { state, records } = start(restored(T0, held(TOMORROW, 3)));
    const hold = held(after(T0, 60 * MINUTE), 3);
    expect(state.workflows.get(W)?.hold).toEqual(hold);
    expect(records).toEqual([{ type: "hold", workflow: W, hold }]);
  });

  test("holds until the time that the provider told, and issues held back wait for it", () => {
    const { state, records } = start(restored(TOMORROW, held(TOMORROW, 0)));
    expect(state.workflows.get(W)?.hold).toEqual(held(TOMORROW, 0));
    expect(state.claims.get(ISSUE.id)).toEqual(waiting(TOMORROW));
    expect(records).toEqual([]);
  });
});

test("a reload changes no wait that is under way", () => {
  const bench = new Bench(madePolicy({ backoffMaxMs: 5 * MINUTE }), restored(after(T0, 4 * MINUTE)));
  bench.say({ type: "configured", policy: madePolicy({ backoffMaxMs: MINUTE }) });
  expect(bench.claim(ISSUE)).toMatchObject({ retryAt: after(T0, 4 * MINUTE) });
});
