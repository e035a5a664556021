import { expect, test } from "vitest";
import { ScriptedAgent } from "../../../src/agent/scripted.ts";
import { Attempt, type AttemptParts } from "../../../src/daemon/attempt.ts";
import { failure } from "../../../src/domain/failure.ts";
import { type Run, runId, threadId } from "../../../src/domain/run.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import type { Workspaces } from "../../../src/workspace/port.ts";
import { eventually } from "../../eventually.ts";
import type { RunEvent } from "../../../src/scheduler/events.ts";
import { madeIssue, T0, W } from "../scheduler/made.ts";
import { workflow } from "./chores/parts.ts";
import { HandClock } from "./hand-clock.ts";

const issue = madeIssue("A-1");
const run: Run = {
  id: runId("r1"),
  issueId: issue.id,
  identifier: issue.identifier,
  workflow: W,
  attempt: null,
  kind: "first",
  startedAt: T0,
};
const why = failure("shutdown", "told to stop");

function made(more: Partial<AttemptParts> = {}) {
  const agent = new ScriptedAgent();
  const news: RunEvent[] = [];
  const attempt = new Attempt(run, issue, workflow, {
    agent,
    workspaces: createMemoryWorkspaces(),
    mark: "here.r1",
    fingerprint: null,
    unsettled: () => [],
    clock: new HandClock(),
    survey: async () => null,
    tools: () => [],
    publish: () => {},
    report: (one) => news.push(one),
    ...more,
  });
  const heard = (type: RunEvent["type"]) =>
    eventually(() => {
      const found = news.find((one) => one.type === type);
      if (found === undefined) throw new Error(`no ${type}`);
      return found;
    });
  return { attempt, agent, news, heard };
}

const turn = { type: "turn", runId: run.id, turnsMax: 3, issue } as const;

test("the first turn has the prompt, a later one guidance, and what the last run left open is said once", async () => {
  const { attempt, agent, heard } = made({ unsettled: () => [{ fields: ["commentCreate"], newIds: [] }] });
  await attempt.start(null);
  await heard("opened");
  attempt.turn({ ...turn, text: "prompt", turn: 1 });
  const session = agent.sessions[0];
  await eventually(() => expect(session?.isBusy).toBe(true));
  session?.finish({ status: "completed" });
  attempt.turn({ ...turn, text: "guidance", turn: 2 });
  expect(session?.texts[0]).toMatch(/^Do it\.\n\n.*commentCreate/s);
  expect(session?.texts[1]).toContain("A-1");
  expect(session?.texts[1]).not.toContain("commentCreate");
});

test("a directory that is new has nothing that an old thread remembers", async () => {
  const fresh = made();
  await fresh.attempt.start(threadId("old"));
  expect(fresh.agent.sessions[0]?.spec.resume).toBeNull();
  const workspaces = createMemoryWorkspaces();
  await made({ workspaces }).attempt.start(null);
  const again = made({ workspaces });
  await again.attempt.start(threadId("old"));
  expect(again.agent.sessions[0]?.spec.resume).toBe("old");
});

test("stopped while it prepares, it starts no agent and ends with the first reason", async () => {
  const { attempt, agent, news } = made();
  const started = attempt.start(null);
  attempt.stop(why, false);
  attempt.stop(failure("internal", "later"), false);
  await started;
  expect(agent.sessions).toEqual([]);
  expect(news).toMatchObject([{ type: "exited", failure: why }]);
});

test("a workspace that cannot be made is the end of the run, with its reason", async () => {
  const workspaces: Workspaces = {
    ...createMemoryWorkspaces(),
    prepare: () => Promise.reject(new Error("no room")),
  };
  const { attempt, news } = made({ workspaces });
  await attempt.start(null);
  expect(news).toMatchObject([{ type: "exited", failure: { kind: "internal", message: "no room" } }]);
});

test.each([
  ["as it was", "same", "same", false],
  ["another", "before", "after", true],
])("a survey says whether the workspace is %s", async (_words, fingerprint, now, changed) => {
  const { attempt, heard } = made({ fingerprint, survey: async () => now });
  await attempt.start(null);
  attempt.stop(null, true);
  expect(await heard("exited")).toMatchObject({ changed, fingerprint: now });
});

test("unasked it does not look: looking through a large workspace takes minutes", async () => {
  let looks = 0;
  const { attempt, heard } = made({
    survey: async () => {
      looks++;
      return null;
    },
  });
  await attempt.start(null);
  attempt.stop(null, false);
  expect(await heard("exited")).toMatchObject({ changed: null });
  expect(looks).toBe(0);
});
