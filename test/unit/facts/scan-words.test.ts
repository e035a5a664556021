import { expect, test } from "vitest";
import type { ScanCounts } from "../../../src/domain/fact.ts";
import { scanWords } from "../../../src/facts/scan-words.ts";

const none: ScanCounts = {
  open: null,
  listed: 0,
  running: 0,
  waiting: 0,
  parked: 0,
  blocked: 0,
  ready: 0,
  gate: null,
};

test.each<[Partial<ScanCounts>, string]>([
  [{}, "0 labelled"],
  [{ open: { count: 12, isAll: true } }, "12 open, 0 labelled"],
  [{ open: { count: 1_000, isAll: false }, listed: 3 }, "more than 1000 open, 3 labelled"],
  [
    { open: { count: 12, isAll: true }, listed: 3, blocked: 1, ready: 2 },
    "12 open, 3 labelled, 1 blocked, 2 waiting for a slot",
  ],
  [
    { listed: 4, running: 1, waiting: 1, parked: 1, ready: 1, gate: "it is paused: freeze" },
    "4 labelled, 1 running, 1 waiting for their next run, 1 parked, 1 held back (it is paused: freeze)",
  ],
])("counts by reason, and leaves out what is zero: %j", (counts, words) => {
  expect(scanWords({ ...none, ...counts })).toBe(words);
});
