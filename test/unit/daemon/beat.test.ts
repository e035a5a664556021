import { expect, test } from "vitest";
import { beatOf } from "../../../src/daemon/beat.ts";
import { madeLane, madeState, T0, W } from "../scheduler/made.ts";

test("a beat tells of each workflow what only the daemon knows, and no more words than are read", () => {
  const scan = { at: T0, listed: 1, error: "x".repeat(900), open: null, isNew: false, told: null };
  const state = madeState(madeLane({ scan, broken: "line 1", limitSaidAt: T0 }));
  const files = new Map([[W, { path: "/srv/WORKFLOW.md", unanswered: "nobody is there" }]]);
  expect(beatOf(state, "the disk is full", files, 42)).toEqual({
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
        counts: null,
      },
    ],
  });
});
