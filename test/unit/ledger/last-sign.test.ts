import { expect, test } from "vitest";
import { noTokens, runId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import type { Beat, Heartbeat } from "../../../src/ledger/heartbeat.ts";
import { lastSignOf } from "../../../src/ledger/last-sign.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { ago, now } from "../cli/history.ts";

const run = { id: runId("r1"), startedAt: ago(10) };
const beat = (minutes: number, phase: Beat["phase"] = "serving"): Heartbeat => ({
  at: ago(minutes),
  beat: { pid: 1, phase, stuck: null, workflows: [] },
});

/** Something was written of the run so many minutes ago. */
function written(minutes: number): MemoryLedger {
  const ledger = new MemoryLedger();
  const body = { type: "usage", total: noTokens } as const;
  ledger.append({ ...body, runId: run.id, at: after(ago(minutes), -1) });
  ledger.append({ ...body, runId: run.id, at: ago(minutes) });
  return ledger;
}

test("a run that nobody ended went on until the daemon's last sign of life, or the last thing written of it", () => {
  expect(lastSignOf(run, written(8), beat(6), now)).toBe(ago(6));
  expect(lastSignOf(run, written(4), beat(6), now)).toBe(ago(4));
  expect(lastSignOf(run, written(8), null, now)).toBe(ago(8));
});

test("where nothing is known of it, it took no time", () => {
  expect(lastSignOf(run, new MemoryLedger(), null, now)).toBe(ago(10));
  expect(lastSignOf(run, new MemoryLedger(), beat(60), now)).toBe(ago(10));
});

test("the sign of life of a daemon that had only begun to start says nothing of the runs before it", () => {
  expect(lastSignOf(run, written(8), beat(2, "starting"), now)).toBe(ago(8));
});

test("no run goes on in the future, whatever the clock was then", () => {
  expect(lastSignOf(run, written(8), beat(-5), now)).toBe(now);
});
