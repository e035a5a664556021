import { expect, test } from "vitest";
import { ScriptedAgent } from "../../../../src/agent/scripted.ts";
import { Attempts } from "../../../../src/daemon/chores/start.ts";
import type { Run } from "../../../../src/domain/run.ts";
import { noTokens, runId } from "../../../../src/domain/run.ts";
import { createMemoryWorkspaces } from "../../../../src/workspace/memory.ts";
import { eventually } from "../../../eventually.ts";
import { madeIssue, T0, W } from "../../scheduler/made.ts";
import { recorded, trackerWith, workflow } from "./parts.ts";

function attempts() {
  const { parts, news, facts } = recorded();
  const agent = new ScriptedAgent();
  const marks: string[] = [];
  const all = new Attempts({
    ...parts,
    agent,
    workspaces: createMemoryWorkspaces(),
    survey: async () => null,
    work: async () => null,
    done: () => null,
    record: parts.publish,
    unsettled: () => [],
    markOf: () => noTokens,
    installation: "here",
    trackerFor: trackerWith({
      tools: ({ mark }) => {
        marks.push(mark);
        return [];
      },
    }),
  });
  const telling = { cause: { type: "first" }, told: null, state: "Todo" } as const;
  const begin = (n: number): Promise<void> => {
    const issue = madeIssue(`A-${n}`);
    const id = runId(`r${n}`);
    const run: Run = {
      id,
      issueId: issue.id,
      identifier: issue.identifier,
      workflow: W,
      attempt: null,
      kind: "first",
      startedAt: T0,
    };
    return all.start({ type: "start", run, issue, resume: null, fingerprint: null, telling });
  };
  return { all, agent, news, facts, marks, begin };
}

test("a run is found by its id from its start to the moment it is told to be over, and not after", async () => {
  const { all, agent, news, begin } = attempts();
  const started = begin(1);
  expect(all.of(runId("r1"))).toBeDefined();
  await started;
  agent.sessions[0]?.crash();
  await eventually(() => expect(news.at(-1)).toMatchObject({ type: "exited", runId: "r1" }));
  expect(all.of(runId("r1"))).toBeUndefined();
});

test("its processes carry a mark that no other installation's have", async () => {
  const { agent, marks, begin } = attempts();
  await begin(1);
  expect(agent.sessions[0]?.spec.mark).toBe("here.r1");
  expect(marks).toEqual(["here.r1"]);
  expect(agent.sessions[0]?.spec.secrets).toEqual([workflow.settings.tracker.apiKey]);
});

test("the end of all waits for the last, and there being none is the end at once", async () => {
  const { all, news, begin } = attempts();
  await all.end();
  await Promise.all([begin(1), begin(2)]);
  await all.end();
  expect(news.filter(({ type }) => type === "exited")).toMatchObject([
    { runId: "r1", failure: { kind: "shutdown" } },
    { runId: "r2", failure: { kind: "shutdown" } },
  ]);
});
