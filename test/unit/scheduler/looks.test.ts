import { expect, test } from "vitest";
import { after, MINUTE_MS } from "../../../src/domain/time.ts";
import { startGate } from "../../../src/scheduler/gates.ts";
import { lookGate } from "../../../src/scheduler/looks.ts";
import type { Lane } from "../../../src/scheduler/state.ts";
import { Bench, madeIssue, madePolicy, OTHER, scanOf, summaryOf, T0, twoWorkflows, W } from "./made.ts";

const [a, b] = [madeIssue("A-1"), madeIssue("B-1")];
const soon = after(T0, MINUTE_MS);
const putOff = { type: "look_put_off", workflow: W, until: soon, why: "used up for the moment" } as const;

function lane(bench: Bench): Lane {
  const found = bench.state.workflows.get(W);
  if (found === undefined) throw new Error("no such workflow");
  return found;
}

test("a look that is put off shuts no gate, is no failure and is not told as the tracker's limit; then it is done", () => {
  const bench = new Bench();
  bench.say({ type: "polled", workflow: W, candidates: [summaryOf(a)], tookMs: 1 });
  expect(bench.take("revalidate")).toHaveLength(1);
  bench.say(putOff);
  expect(startGate(bench.state, lane(bench), bench.now)).toBeNull();
  expect([...bench.facts("poll_failed"), ...bench.facts("refresh_failed")]).toEqual([]);
  expect(lane(bench)).toMatchObject({ failedLooks: 0, limitSaidAt: null });
  expect(lookGate(lane(bench), bench.now)).toBe(putOff.why);
  // What is in line says what it waits for.
  expect(bench.facts("scan_changed").at(-1)).toMatchObject({ ready: 1, gate: putOff.why });
  expect(bench.take("revalidate")).toEqual([]);
  bench.pass(MINUTE_MS);
  expect(lookGate(lane(bench), bench.now)).toBeNull();
  bench.answer(a);
  expect(bench.claim(a)?.phase).toBe("running");
});

test("meanwhile what another workflow has looked at starts", () => {
  const bench = twoWorkflows(1, 1);
  bench.say({ type: "polled", workflow: W, candidates: [summaryOf(a)], tookMs: 1 });
  bench.take("revalidate");
  bench.say(putOff);
  scanOf(bench, OTHER, b);
  expect(bench.claim(b)?.phase).toBe("running");
});

test("those that only had their turn have it after a later scan, and keep nobody else waiting", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const blocked = madeIssue("C-1", { blockedBy: [{ id: "b", identifier: "B-9", state: "Todo" }] });
  bench.scan(blocked);
  bench.take("poll");
  bench.say({ type: "polled", workflow: W, candidates: [summaryOf(blocked)], tookMs: 1 });
  expect(bench.take("revalidate")).toMatchObject([{ ids: [blocked.id], isAgain: true }]);
  bench.say(putOff);
  expect(lookGate(lane(bench), bench.now)).toBeNull();
  expect(bench.take("revalidate")).toEqual([]);
  bench.say({ type: "polled", workflow: W, candidates: [blocked, b].map(summaryOf), tookMs: 1 });
  const [look] = bench.take("revalidate");
  expect(look?.ids).toContain(b.id);
  expect(look?.isAgain).toBeUndefined();
});

test("an answer that came too late is no failed look: it is asked for again at once, however often", () => {
  const bench = new Bench();
  bench.say({ type: "polled", workflow: W, candidates: [summaryOf(a)], tookMs: 1 });
  for (let n = 0; n < 5; n += 1) {
    expect(bench.take("revalidate")).toMatchObject([{ ids: [a.id] }]);
    bench.say({ ...putOff, until: null, why: "its answer was 200 s old" });
  }
  expect(lane(bench)).toMatchObject({ failedLooks: 0, doubts: new Map() });
  expect(bench.facts("refresh_failed")).toEqual([]);
});
