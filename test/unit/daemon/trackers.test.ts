import { expect, test } from "vitest";
import { trackersFor } from "../../../src/daemon/trackers.ts";
import { unreadableTopic, type Fact } from "../../../src/domain/fact.ts";
import type { Workflow } from "../../../src/domain/settings.ts";
import type { Tracker, TrackerNews } from "../../../src/tracker/port.ts";
import { withLines, workflowOf } from "../workflow/parsing.ts";
import { HandClock } from "./hand-clock.ts";

function rig() {
  const made: { workflow: Workflow; news: TrackerNews }[] = [];
  const facts: Fact[] = [];
  const clock = new HandClock();
  const make = (workflow: Workflow, news: TrackerNews): Tracker => {
    made.push({ workflow, news });
    return { named: made.length } as unknown as Tracker;
  };
  return { made, facts, clock, trackerFor: trackersFor(make, clock, (fact) => void facts.push(fact)) };
}

const first = workflowOf(withLines("name: first"));

test("a loaded text has one tracker, however often it is asked for; the same text loaded again has its own", () => {
  const { made, trackerFor } = rig();
  const again = { ...first };
  const trackers = [trackerFor(first), trackerFor(again), trackerFor(first), trackerFor(again)];
  expect(made.map(({ workflow }) => workflow)).toEqual([first, again]);
  expect(trackers[0]).toBe(trackers[2]);
  expect(trackers[1]).toBe(trackers[3]);
  expect(trackers[0]).not.toBe(trackers[1]);
});

test("what a tracker has to tell is told of its workflow, at the time it comes", () => {
  const { made, facts, clock, trackerFor } = rig();
  trackerFor(first);
  const news = made[0]?.news;
  clock.pass(5);
  const at = clock.now();
  news?.rates({ left: 3 });
  clock.pass(5);
  news?.rejected(["not an issue"], "candidates");
  expect(facts).toEqual([
    { type: "tracker_rates", limits: { left: 3 }, workflow: "first", at },
    { type: "tracker_record_rejected", error: "not an issue", workflow: "first", at: at + 5 },
  ]);
});

test("what every scan leaves out is told once, and again when it is over", () => {
  const { made, facts, trackerFor } = rig();
  const again = { ...first };
  for (const workflow of [first, again]) trackerFor(workflow);
  const [old, renewed] = made.map(({ news }) => news);
  old?.rejected(["no title", "no state"], "candidates");
  old?.rejected(["no title", "no state"], "candidates");
  old?.rejected([], "finished");
  expect(facts.map(({ type }) => type)).toEqual(["tracker_record_rejected", "tracker_record_rejected"]);
  renewed?.rejected(["no state"], "candidates");
  renewed?.rejected(["no state", "no title"], "candidates");
  expect(facts.slice(2)).toMatchObject([
    { type: "warning", topic: unreadableTopic("no title"), over: true, workflow: "first" },
    { type: "tracker_record_rejected", error: "no title" },
  ]);
});
