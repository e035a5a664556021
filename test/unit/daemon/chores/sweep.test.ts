import { expect, test } from "vitest";
import { sweep, type SweepParts } from "../../../../src/daemon/chores/sweep.ts";
import { madeIssue, summaryOf, W } from "../../scheduler/made.ts";
import { recorded, trackerWith, workflow } from "./parts.ts";

const done = [summaryOf(madeIssue("A-1")), summaryOf(madeIssue("A-2"))];

async function swept(more: Partial<SweepParts>) {
  const { parts, news, facts } = recorded();
  const asked: (readonly string[])[] = [];
  const trackerFor = trackerWith({
    inStates: async (states) => {
      asked.push(states);
      return done;
    },
  });
  const usual = { workspaces: { existing: async () => ["A-2", "A-9"] }, tidy: async () => {} };
  const all = { ...parts, ...usual, trackerFor, ...more };
  await sweep({ type: "sweep", workflow: W, scope: "s1" }, all, new AbortController().signal);
  return { news, facts, asked };
}

test("only finished issues that have a workspace are told, and the tracker is asked for terminal states", async () => {
  const { news, asked } = await swept({});
  expect(news).toEqual([{ type: "leftovers_found", workflow: W, scope: "s1", issues: [done[1]] }]);
  expect(asked).toEqual([workflow.settings.tracker.terminalStates]);
});

test("without workspaces the tracker is not asked", async () => {
  const { news, asked } = await swept({ workspaces: { existing: async () => [] } });
  expect([news, asked]).toEqual([[], []]);
});

test("a sweep that failed is said, and nothing else", async () => {
  const { news, facts } = await swept({ tidy: () => Promise.reject(new Error("no such directory")) });
  expect(news).toEqual([]);
  expect(facts).toMatchObject([
    { type: "warning", message: expect.stringContaining("no such directory"), workflow: W },
  ]);
});
