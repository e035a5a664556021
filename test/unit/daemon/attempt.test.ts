import { expect, test } from "vitest";
import { ScriptedAgent } from "../../../src/agent/scripted.ts";
import { Attempt, type AttemptParts } from "../../../src/daemon/attempt.ts";
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { noTokens, type Run, runId, threadId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import type { Workspaces } from "../../../src/workspace/port.ts";
import { eventually } from "../../eventually.ts";
import type { RunEvent } from "../../../src/scheduler/events.ts";
import { madeIssue, T0, W } from "../scheduler/made.ts";
import { workflow } from "./chores/parts.ts";
import { HandClock } from "./hand-clock.ts";
import { withLines, workflowOf } from "../workflow/parsing.ts";
import { acme } from "../../whose.ts";

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
    home: async () => acme,
    fingerprint: null,
    unsettled: () => [],
    markOf: () => noTokens,
    clock: new HandClock(),
    survey: async () => null,
    work: async () => null,
    done: () => null,
    telling: { cause: { type: "first" }, told: null, state: issue.state },
    reloaded: () => workflow,
    read: async () => issue,
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

/** Plays one turn, and returns what it was told. */
async function told(
  { attempt, agent }: ReturnType<typeof made>,
  turn: number,
  seen: Issue = issue,
): Promise<string> {
  await attempt.turn({ type: "turn", runId: run.id, turnsMax: 3, issue: seen, turn });
  const session = agent.sessions[0];
  await eventually(() => expect(session?.isBusy).toBe(true));
  session?.finish({ status: "completed" });
  return session?.texts.at(-1) ?? "";
}

test("the first turn has the prompt, a later one guidance, and what the last run left open is said once", async () => {
  const one = made({ unsettled: () => [{ fields: ["commentCreate"], newIds: [] }] });
  await one.attempt.start(null);
  await one.heard("opened");
  expect(await told(one, 1)).toMatch(/^Do it\.\n\n.*commentCreate/s);
  const second = await told(one, 2);
  expect(second).toContain("A-1");
  expect(second).not.toContain("commentCreate");
});

test("a reload and an edited ticket reach the next turn, and what each turn was told is reported with it", async () => {
  let current = workflowOf(withLines("", "{{ issue.description }}"));
  let now: Issue = { ...issue, updatedAt: after(T0, 60_000), description: "Make it blue." };
  const one = made({ reloaded: () => current, read: async () => now });
  await one.attempt.start(null);
  await one.heard("opened");
  await told(one, 1);
  expect(await told(one, 2, { ...issue, updatedAt: now.updatedAt })).toMatch(/Make it blue\.$/);
  current = workflowOf(withLines("", "Mind the tests: {{ issue.description }}"));
  expect(await told(one, 3, { ...issue, updatedAt: now.updatedAt })).toMatch(
    /Mind the tests: Make it blue\.$/,
  );
  expect(await told(one, 4, { ...issue, updatedAt: now.updatedAt })).not.toContain("blue");
  now = { ...now, description: null };
  const texts = one.news.flatMap((news) => (news.type === "turn_started" ? [news.said?.text] : []));
  expect(texts).toEqual(one.agent.sessions[0]?.texts);
});

test("an issue that cannot be read again is told as it was, and read before the turn after it", async () => {
  const later = { ...issue, updatedAt: after(T0, 60_000) };
  const facts: string[] = [];
  let reads = 0;
  const one = made({
    reloaded: () => workflowOf(withLines("", "{{ issue.description }}")),
    read: async () => {
      reads += 1;
      if (reads === 1) throw new Error("no answer");
      return { ...later, description: "Make it blue." };
    },
    publish: (fact) => void facts.push(fact.type === "warning" ? fact.message : fact.type),
  });
  await one.attempt.start(null);
  await one.heard("opened");
  await told(one, 1);
  expect(await told(one, 2, later)).not.toContain("blue");
  expect(facts).toContain(
    "A-1 could not be read before turn 2, which is told its texts as they were: no answer",
  );
  expect(await told(one, 3, later)).toContain("Make it blue.");
  expect(await told(one, 4, later)).not.toContain("blue");
  expect(reads).toBe(2);
});

test("a prompt that cannot be rendered between two turns ends the run with its reason", async () => {
  let current = workflow;
  const one = made({ reloaded: () => current });
  await one.attempt.start(null);
  await one.heard("opened");
  await told(one, 1);
  current = workflowOf(withLines("", "{{ issue.titel }}"));
  await one.attempt.turn({ type: "turn", runId: run.id, turnsMax: 3, issue, turn: 2 });
  expect(await one.heard("exited")).toMatchObject({ failure: { kind: "template_render_error" } });
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
