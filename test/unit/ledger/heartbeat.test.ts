import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { issueId } from "../../../src/domain/issue.ts";
import { runId } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { type Beat, HeartbeatFile, heartbeatOf } from "../../../src/ledger/heartbeat.ts";
import { eventually } from "../../eventually.ts";
import { folder } from "./folder.ts";

const beat: Beat = {
  pid: 42,
  phase: "serving",
  stuck: null,
  workflows: [
    {
      name: "main",
      path: "/srv/WORKFLOW.md",
      pollIntervalMs: 30_000,
      scannedAt: null,
      scanError: "HTTP 500",
      broken: null,
      diskLow: null,
      unanswered: null,
      limited: true,
      paceSince: instant(5),
      looks: { until: instant(60_000), why: "used up for the moment" },
      doubts: [{ id: issueId("i1"), why: "HTTP 500", times: 2, again: instant(60_000) }],
      counts: null,
    },
  ],
};

function kept(look: () => Beat): { readonly path: string; readonly file: HeartbeatFile } {
  const path = join(folder(), "ledger.db");
  const file = new HeartbeatFile(path, look);
  onTestFinished(() => file.stop());
  return { path, file };
}

test("what the daemon tells of itself is read back, by nobody else, and is gone when it ends", () => {
  const { path, file } = kept(() => beat);
  expect(heartbeatOf(path)).toBeNull();
  file.start();
  expect(heartbeatOf(path)).toMatchObject({ beat });
  expect(statSync(`${path}.heartbeat`).mode & 0o777).toBe(0o600);
  file.stop();
  file.stop();
  expect(existsSync(`${path}.heartbeat`)).toBe(false);
});

test("what agents do is told with their runs, and a daemon of before that says nothing of it", () => {
  const underWay = [{ run: runId("r6"), work: [{ what: "$ npm test", since: instant(5) }] }];
  const { path, file } = kept(() => ({ ...beat, underWay }));
  file.start();
  expect(heartbeatOf(path)?.beat?.underWay).toEqual(underWay);
  writeFileSync(`${path}.heartbeat`, JSON.stringify(beat));
  expect(heartbeatOf(path)?.beat).toEqual(beat);
});

test("every beat touches the file, also when there is nothing new to tell", async () => {
  const { path, file } = kept(() => beat);
  file.start();
  utimesSync(`${path}.heartbeat`, 1, 1);
  await eventually(() => expect(heartbeatOf(path)?.at ?? 0).toBeGreaterThan(1_000_000));
});

test("it is written over in place and never becomes shorter, so that a full disk takes it", async () => {
  let now: Beat = { ...beat, stuck: "x".repeat(5_000) };
  const { path, file } = kept(() => now);
  file.start();
  const { ino, size } = statSync(`${path}.heartbeat`);
  now = beat;
  await eventually(() => expect(heartbeatOf(path)?.beat).toEqual(beat));
  expect(statSync(`${path}.heartbeat`)).toMatchObject({ ino, size });
});

test("what an earlier daemon or another version left is no news of this one", () => {
  const { path, file } = kept(() => beat);
  writeFileSync(`${path}.heartbeat`, "{}");
  expect(heartbeatOf(path)).toMatchObject({ beat: null });
  file.start();
  expect(JSON.parse(readFileSync(`${path}.heartbeat`, "utf8"))).toEqual(beat);
});

test("a daemon whose sign of life cannot be made or written works all the same", () => {
  const { file } = kept(() => {
    throw new Error("no look");
  });
  file.start();
  const nowhere = new HeartbeatFile(join(folder(), "gone", "ledger.db"), () => beat);
  nowhere.start();
  nowhere.stop();
});
