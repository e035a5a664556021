import { afterEach, expect, test } from "vitest";
import { type Board, startBoard } from "../../../../src/demo/board/board.ts";
import { poll } from "../../../../src/daemon/chores/poll.ts";
import type { WorkflowName } from "../../../../src/domain/run.ts";
import { LEAVE_MS } from "../../../../src/scheduler/running.ts";
import { trackerOpener } from "../../../../src/tracker/kinds.ts";
import { MemoryBoard } from "../../../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../../../src/tracker/memory.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";
import { eventually } from "../../../eventually.ts";
import { Tracked } from "../tracked.ts";
import { ID, recorded, trackerWith, workflow as parsedWorkflow } from "./parts.ts";
import { W } from "../../scheduler/made.ts";

const workflow = (label: string, more = ""): string => `---
name: ${label}
tracker:
  kind: linear
  project_slug: demo
  api_key: board-key
  required_labels: [${label}]
  active_states: [Todo]
  terminal_states: [Done]
${more}agent: {max_concurrent_agents: 20}
---
Work.
`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function inMemory(board: MemoryBoard) {
  const trackers: MemoryTracker[] = [];
  const rig = new Tracked({
    workflows: [workflow("baton")],
    makeTracker:
      () =>
      ({ settings }) => {
        const tracker = new MemoryTracker(board, settings.tracker);
        trackers.push(tracker);
        return tracker;
      },
  });
  open.push({ close: () => rig.stop() });
  const calls = () => trackers.flatMap(({ asked }) => asked);
  return { rig, tracker: () => trackers[0] as MemoryTracker, calls };
}

test("a running issue that the scan lists is not asked for by id", async () => {
  const board = new MemoryBoard();
  board.add({ labels: ["baton"] });
  const { rig, calls } = inMemory(board);
  await rig.start();
  await rig.busy(1);
  rig.clock.pass(30_000);
  await rig.said("polled", 2);
  expect(calls().map(({ call }) => call)).toEqual([
    "candidates",
    "countOpen",
    "vocabulary",
    "issues",
    "candidates",
  ]);
});

test("running issues that the scan leaves out are asked for by id, and only those; what is over is ended (I7)", async () => {
  const board = new MemoryBoard();
  const [left] = [board.add({ labels: ["baton"] }), board.add({ labels: ["baton"] })];
  const { rig, calls } = inMemory(board);
  await rig.start();
  await rig.busy(2);
  board.move(left.id, "Done");
  rig.clock.pass(30_000);
  await rig.said("polled", 2);
  expect(calls().at(-1)).toEqual({ call: "statuses", ids: [left.id] });
  rig.clock.pass(LEAVE_MS);
  await rig.busy(1);
});

test("a scan that does not work keeps no finished run alive: all running issues are asked for by id (I7)", async () => {
  const board = new MemoryBoard();
  const { id } = board.add({ labels: ["baton"] });
  const { rig, calls, tracker } = inMemory(board);
  await rig.start();
  await rig.busy(1);
  board.move(id, "Done");
  tracker().failNext(1, new TrackerError("tracker_pagination", "The list has no end."), ["candidates"]);
  rig.clock.pass(30_000);
  await rig.said("poll_failed", 1);
  expect(calls().at(-1)).toEqual({ call: "statuses", ids: [id] });
  rig.clock.pass(LEAVE_MS);
  await rig.busy(0);
});

test("the poll is over only when the refresh that belongs to it has been told", async () => {
  const board = new MemoryBoard();
  const { id } = board.add({ labels: ["baton"] });
  const { rig, tracker } = inMemory(board);
  await rig.start();
  await rig.busy(1);
  board.move(id, "Done");
  tracker().hangNext(["statuses"]);
  rig.clock.pass(30_000);
  await eventually(() => expect(tracker().asked.at(-1)).toEqual({ call: "statuses", ids: [id] }));
  rig.clock.pass(300_000);
  expect(tracker().asked.filter(({ call }) => call === "candidates")).toHaveLength(2);
  expect(rig.count("polled")).toBe(1);
});

test("WORKFLOW.md is looked at with every tick, before anything is asked by it, also when the tracker does not answer", async () => {
  const looks: (WorkflowName | "asked")[] = [];
  const { parts, news } = recorded();
  const { name } = parsedWorkflow.settings;
  const tick = (candidates: () => Promise<never[]>) =>
    poll(
      { type: "poll", workflow: name, scope: "s1", running: [], apart: [] },
      {
        ...parts,
        workflows: {
          check: (looked) => void looks.push(looked),
          current: () => parsedWorkflow,
        },
        trackerFor: trackerWith({
          candidates: () => {
            looks.push("asked");
            return candidates();
          },
        }),
        diskLow: async () => null,
      },
      new AbortController().signal,
    );
  await tick(async () => []);
  await tick(() => Promise.reject(new TrackerError("tracker_request", "No answer.")));
  expect(looks).toEqual([name, "asked", name, "asked"]);
  expect(news.map(({ type }) => type)).toEqual(["disk_checked", "polled", "disk_checked", "poll_failed"]);
});

/** A board at Linear's prices, and what was spent of its budget. */
async function priced(
  labels: readonly string[],
): Promise<{ board: Board; rig: Tracked; spent: () => number }> {
  const board = await startBoard({ seed: { projects: [{ name: "Demo", slugId: "demo" }] } });
  open.push(board);
  const rig = new Tracked({
    workflows: labels.map((label) => workflow(label, `  endpoint: ${board.url}\n`)),
    makeTracker: (clock) => {
      const opener = trackerOpener(() => clock.now());
      return ({ settings }, news) => opener(settings.tracker, news);
    },
  });
  open.push({ close: () => rig.stop() });
  const spent = (): number => {
    const left = rig.facts.flatMap((fact) =>
      fact.type === "tracker_rates" ? [fact.limits["complexity-remaining"] ?? 0] : [],
    );
    return 1_000_000_000 - Math.min(...left);
  };
  return { board, rig, spent };
}

test("a poll with 20 running, labelled tickets and 300 others costs at most 300 points and one request", async () => {
  const { board, rig, spent } = await priced(["baton"]);
  for (let n = 0; n < 20; n++) board.store.add({ title: `Ours ${n}`, labels: ["baton"] });
  for (let n = 0; n < 300; n++) board.store.add({ title: `Theirs ${n}` });
  await rig.start();
  await rig.busy(20);
  const before = { points: spent(), requests: board.requests() };
  rig.clock.pass(30_000);
  await rig.said("polled", 2);
  expect(board.requests() - before.requests).toBe(1);
  expect(spent() - before.points).toBe(260);
  expect(spent() - before.points).toBeLessThanOrEqual(300);
});

test("two workflows on one project share one scan: one request, and less than two scans cost", async () => {
  const { board, rig, spent } = await priced(["first", "second"]);
  for (let n = 0; n < 10; n++) board.store.add({ title: `First ${n}`, labels: ["first"] });
  for (let n = 0; n < 10; n++) board.store.add({ title: `Second ${n}`, labels: ["second"] });
  for (let n = 0; n < 300; n++) board.store.add({ title: `Theirs ${n}` });
  await rig.start();
  await rig.busy(20);
  const before = { points: spent(), requests: board.requests() };
  rig.clock.pass(30_000);
  await rig.said("polled", 4);
  expect(board.requests() - before.requests).toBe(1);
  expect(spent() - before.points).toBe(370);
});

test("a scan that the tracker's limits do not allow yet is put off, and running issues are looked up as far as these do", async () => {
  const { parts, news } = recorded();
  const pace = { everyMs: 120_000, why: "Linear allows 250000 points an hour" };
  for (const may of [true, false]) {
    const tracker = trackerWith({
      pacer: {
        pace: () => pace,
        beginScan: () => false,
        beginRefresh: () => may,
        mayLook: () => null,
        maySurvey: () => true,
      },
      candidates: () => Promise.reject(new Error("nobody may scan")),
      statuses: async () => [],
    });
    const work = { type: "poll", workflow: W, scope: "s1", running: [ID], apart: [] } as const;
    const more = { trackerFor: tracker, diskLow: async () => null };
    await poll(work, { ...parts, ...more }, new AbortController().signal);
  }
  expect(news.filter(({ type }) => type !== "disk_checked").map(({ type }) => type)).toEqual([
    "refreshed",
    "scan_put_off",
    "scan_put_off",
  ]);
  expect(news.at(-1)).toEqual({ type: "scan_put_off", workflow: W, scope: "s1", pace });
});
