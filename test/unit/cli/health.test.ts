import { madeHold } from "../scheduler/made.ts";
import { expect, test } from "vitest";
import { healthCode, healthOf, type Signs } from "../../../src/cli/health.ts";
import { workflowName } from "../../../src/domain/run.ts";
import type { Beat, WorkflowBeat } from "../../../src/ledger/heartbeat.ts";
import { ago, now } from "./history.ts";

const workflow: WorkflowBeat = {
  name: "main",
  path: "/srv/WORKFLOW.md",
  pollIntervalMs: 30_000,
  scannedAt: ago(1),
  scanError: null,
  broken: null,
  diskLow: null,
  unanswered: null,
  limited: false,
  counts: null,
};
const beat: Beat = { pid: 42, phase: "serving", stuck: null, workflows: [workflow] };
const holder = { pid: 42, since: new Date(ago(600)).toISOString(), workflows: ["/srv/WORKFLOW.md"] };
const well: Signs = { held: true, holder, heartbeat: { at: now, beat }, holds: new Map() };
const withWorkflow = (more: Partial<WorkflowBeat>): Signs => ({
  ...well,
  heartbeat: { at: now, beat: { ...beat, workflows: [{ ...workflow, ...more }] } },
});
const stretched = {
  pollIntervalMs: 21 * 60_000,
  paced: { wishedMs: 30_000, why: "Linear allows 250000 points an hour" },
};
const held = madeHold({ why: "the key was refused", until: ago(-5), refusals: 1, trial: null });

test.each<[string, Signs, number, RegExp | null]>([
  ["a daemon at work", well, 0, null],
  ["no daemon", { ...well, held: false, holder: null, heartbeat: null }, 1, /^No daemon is running/],
  ["a daemon that has only begun", { ...well, holder: null, heartbeat: null }, 0, null],
  [
    "a sign of life that is old",
    { ...well, heartbeat: { at: ago(1), beat } },
    1,
    /process 42 is stopped or hangs/,
  ],
  ["a sign of life that is late", { ...well, heartbeat: { at: ago(0.2), beat } }, 0, null],
  ["a sign of life that cannot be read", { ...well, heartbeat: { at: now, beat: null } }, 0, null],
  [
    "no complete scan for three intervals",
    withWorkflow({ scannedAt: ago(2), scanError: "HTTP 500" }),
    2,
    /has no complete scan \(the last one 2 min ago, one is due every 30s\): HTTP 500/,
  ],
  [
    "no complete scan for two of the intervals that Linear's limits allow",
    withWorkflow({ ...stretched, scannedAt: ago(40) }),
    0,
    null,
  ],
  [
    "no complete scan for three of them",
    withWorkflow({ ...stretched, scannedAt: ago(64) }),
    2,
    /the last one .+ ago, one is due every 21m/,
  ],
  [
    "an interval that has just become shorter",
    withWorkflow({ scannedAt: ago(20), paceSince: ago(1) }),
    0,
    null,
  ],
  [
    "no complete scan for three intervals since then",
    withWorkflow({ scannedAt: ago(20), paceSince: ago(2) }),
    2,
    /the last one 20 min ago, one is due every 30s/,
  ],
  ["a scan that failed once", withWorkflow({ scannedAt: ago(1), scanError: "HTTP 500" }), 0, null],
  ["no scan since the start", withWorkflow({ scannedAt: null }), 2, /none since the start/],
  ["a broken file", withWorkflow({ broken: "line 4" }), 2, /its file cannot be used: line 4/],
  ["a full disk", withWorkflow({ diskLow: "only 1 GiB is free" }), 2, /only 1 GiB is free/],
  ["a hold", { ...well, holds: new Map([[workflowName("main"), held]]) }, 2, /is held: the key was refused/],
  [
    "a ledger that takes nothing",
    { ...well, heartbeat: { at: now, beat: { ...beat, stuck: "the disk is full" } } },
    2,
    /Nothing can be written down: the disk is full/,
  ],
])("the exit code of a health check: %s", (_what, signs, code, why) => {
  const health = healthOf(signs, now);
  expect(healthCode(health)).toBe(code);
  if (why === null) expect(health.reasons).toEqual([]);
  else expect(health.reasons[0]).toMatch(why);
});

test("a daemon that has served for less than three intervals owes no scan yet", () => {
  const young = { ...holder, since: new Date(ago(1)).toISOString() };
  expect(healthOf({ ...withWorkflow({ scannedAt: null }), holder: young }, now).state).toBe("serving");
});
