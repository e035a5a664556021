import { expect, test } from "vitest";
import { Bench, madePolicy, W } from "./made.ts";

const slow = { everyMs: 120_000, why: "Linear allows 250000 points an hour" };
const usual = { everyMs: 30_000, why: null };

test("that scans are less often than wished is said once per change, and that they are as wished again", () => {
  const bench = new Bench();
  const scan = { type: "polled", workflow: W, candidates: [], tookMs: 1 } as const;
  bench.say({ ...scan, pace: usual });
  expect(bench.facts("scans_paced")).toEqual([]);
  for (let n = 0; n < 3; n += 1) bench.say({ ...scan, pace: slow });
  expect(bench.facts("scans_paced")).toMatchObject([{ everyMs: 120_000, wishedMs: 30_000, why: slow.why }]);
  expect(bench.state.workflows.get(W)?.pace).toEqual(slow);
  bench.say({ ...scan, pace: usual });
  expect(bench.facts("scans_paced").at(-1)).toMatchObject({ everyMs: 30_000, why: null });
  expect(bench.state.workflows.get(W)?.pace).toBeNull();
});

test("a scan that is put off leaves the next one to the interval, and says why", () => {
  const bench = new Bench();
  bench.take("poll");
  bench.pass(30_000);
  bench.say({ type: "scan_put_off", workflow: W, pace: slow });
  expect(bench.facts("scans_paced")).toHaveLength(1);
  expect(bench.take("poll")).toEqual([]);
  bench.pass(1_000);
  expect(bench.take("poll")).toHaveLength(1);
});

test("since when scans are as often as they are is known, of what the limits allow and of what a file wishes for", () => {
  const bench = new Bench();
  const since = () => bench.state.workflows.get(W)?.scan.paceSince;
  const scan = { type: "polled", workflow: W, candidates: [], tookMs: 1 } as const;
  bench.say({ ...scan, pace: usual });
  expect(since()).toBeNull();
  bench.pass(1_000);
  bench.say({ ...scan, pace: slow });
  expect(since()).toBe(bench.now);
  const [slower] = [bench.now, bench.pass(1_000)];
  bench.say({ ...scan, pace: slow });
  expect(since()).toBe(slower);
  bench.say({ type: "configured", policy: madePolicy({ pollIntervalMs: 5_000 }) });
  expect(since()).toBe(bench.now);
});
