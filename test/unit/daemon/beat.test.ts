import { expect, test } from "vitest";
import { beatOf } from "../../../src/daemon/beat.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { noScan } from "../../../src/scheduler/scan-counts.ts";
import { madeLane, madePolicy, madeState, T0, W } from "../scheduler/made.ts";

test("a beat tells of each workflow what only the daemon knows, and no more words than are read", () => {
  const scan = { ...noScan, at: T0, listed: 1, error: "x".repeat(900) };
  const state = madeState(madeLane({ scan, broken: "line 1", limitSaidAt: T0 }));
  const files = new Map([[W, { path: "/srv/WORKFLOW.md", unanswered: "nobody is there" }]]);
  expect(beatOf(state, T0, "the disk is full", files, 42)).toEqual({
    pid: 42,
    phase: "serving",
    stuck: "the disk is full",
    workflows: [
      {
        name: "main",
        path: "/srv/WORKFLOW.md",
        pollIntervalMs: 30_000,
        scannedAt: T0,
        scanError: "x".repeat(500),
        broken: "line 1",
        diskLow: null,
        unanswered: "nobody is there",
        limited: true,
        gate: "its WORKFLOW.md cannot be used since the last change: line 1",
        counts: null,
      },
    ],
  });
});

test("a beat tells the interval that is in force, and since when", () => {
  const beat = (everyMs: number, wishedMs: number) =>
    beatOf(
      madeState(
        madeLane({
          policy: madePolicy({ pollIntervalMs: wishedMs }),
          pace: { everyMs, why: "Linear allows 250000 points an hour" },
          scan: { ...noScan, paceSince: after(T0, 5) },
        }),
      ),
      T0,
      null,
      new Map(),
      42,
    ).workflows[0];
  expect(beat(270_000, 30_000)).toMatchObject({
    pollIntervalMs: 270_000,
    paceSince: after(T0, 5),
    paced: { wishedMs: 30_000, why: "Linear allows 250000 points an hour" },
  });
  // A file that has just come to wish for fewer has them, whatever the limits allow.
  expect(beat(270_000, 600_000)).toMatchObject({ pollIntervalMs: 600_000 });
});

test("a beat tells what the agents do just now, and nothing when they do nothing", () => {
  const work = [{ what: "$ npm test", since: T0 }];
  const doing = new Map([[runId("r6"), work]]);
  const state = madeState(madeLane());
  expect(beatOf(state, T0, null, new Map(), 42, doing)).toMatchObject({ underWay: [{ run: "r6", work }] });
  expect(beatOf(state, T0, null, new Map(), 42, new Map())).not.toHaveProperty("underWay");
});

test("a beat tells who is put off, and until when nobody is looked at, for whoever asks why nothing starts", () => {
  const again = after(T0, 60_000);
  const ids = Array.from({ length: 80 }, (_, n) => issueId(`id-${n}`));
  const doubts = new Map(ids.map((id) => [id, { why: "x".repeat(900), times: 2, again }]));
  const [told] = beatOf(
    madeState(madeLane({ doubts, revalidateAt: again, lookLater: "used up" })),
    T0,
    null,
    new Map(),
    42,
  ).workflows;
  expect(told?.looks).toEqual({ until: again, why: "used up" });
  expect(told?.doubts).toHaveLength(50);
  expect(told?.doubts?.[0]).toEqual({ id: ids[0], why: "x".repeat(500), times: 2, again });
});
