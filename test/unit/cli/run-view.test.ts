import { expect, test } from "vitest";
import { kindWords, outcomeOf, runView, tookMs } from "../../../src/cli/run-view.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { ago, now, writeHistory } from "./history.ts";

const ledger = new MemoryLedger();
writeHistory(ledger);
const row = (id: string) => ledger.run(id) ?? expect.fail(`${id} is missing`);

test("a run without an outcome is running, and has taken the time since it began", () => {
  expect(outcomeOf(row("r6"))).toBe("running");
  expect(runView(row("r6"))).toMatchObject({ outcome: "running", ended_at: null, error: null });
  expect(tookMs(row("r6"), { now })).toBe(4 * 60_000);
});

test("one that no daemon works on any more took until its last sign of life, and one that has ended what it took", () => {
  const lastSigns = new Map([row("r6"), row("r3")].map(({ id }) => [id, ago(3)] as const));
  expect(tookMs(row("r6"), { now, lastSigns })).toBe(60_000);
  expect(tookMs(row("r3"), { now, lastSigns })).toBe(tookMs(row("r3"), { now }));
});

test("one that failed shows why", () => {
  expect(runView(row("r2"))).toMatchObject({
    outcome: "failed",
    error: expect.stringContaining("before_run") as string,
  });
});

test("why a run is there is said in words", () => {
  expect([kindWords("first", null), kindWords("continuation", 2), kindWords("retry", 2)]).toEqual([
    "first run",
    "continuation",
    "retry 2",
  ]);
});

test("a ticket that has had a run has no first one before it", () => {
  expect([kindWords("first", null), kindWords("first", null, true)]).toEqual(["first run", "another run"]);
});
