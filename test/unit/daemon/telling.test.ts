import { expect, test } from "vitest";
import { Telling } from "../../../src/daemon/telling.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { type Run, runId, threadId } from "../../../src/domain/run.ts";
import type { Cause, Said, Told } from "../../../src/domain/telling.ts";
import { after } from "../../../src/domain/time.ts";
import { type Done, INPUT_CHARACTERS_MAX } from "../../../src/workflow/workflow.ts";
import { madeIssue, T0, W } from "../scheduler/made.ts";
import { withLines, workflowOf } from "../workflow/parsing.ts";

const ISSUE = madeIssue("A-1", { description: "Make it so." });
const THREAD = threadId("t-1");
const BODY = "{{ issue.title }} ({{ issue.state }}), attempt {{ attempt }}: {{ issue.description }}";
const workflow = workflowOf(withLines("", BODY));
const CONTINUED: Cause = { type: "continued", turns: 2 };

const run = (attempt: number | null): Run => ({
  id: runId("r2"),
  issueId: ISSUE.id,
  identifier: ISSUE.identifier,
  workflow: W,
  attempt,
  kind: "continuation",
  startedAt: T0,
});

interface Then {
  readonly told?: Told | null;
  readonly cause?: Cause;
  readonly state?: string;
  readonly body?: string;
}

const NOTHING = { done: () => null, isOld: () => false, work: async () => null };

const telling = ({ told = null, cause = CONTINUED, state = "Todo", body = BODY }: Then = {}): Telling =>
  new Telling({
    run: run(1),
    known: { cause, told, state },
    ...NOTHING,
    workflow: () => workflowOf(withLines("", body)),
  });

const next = (of: Telling, issue: Issue = ISSUE, turn = 1, resumed = true): Promise<Said> =>
  of.next({ turn, turnsMax: 5, issue, thread: THREAD, resumed });

/** What the first run told its new thread. */
const first = async (): Promise<Told> =>
  (
    await new Telling({
      run: run(null),
      known: { cause: { type: "first" }, told: null, state: "Todo" },
      ...NOTHING,
      workflow: () => workflow,
    }).next({ turn: 1, turnsMax: 5, issue: ISSUE, thread: THREAD, resumed: false })
  ).told;

const isWhole = ({ text }: Said): boolean => text.includes("takes the place of every earlier text");

test("a new thread is told the prompt and nothing else", async () => {
  const { text, told } = await next(telling(), ISSUE, 1, false);
  expect(text).toBe("Title of A-1 (Todo), attempt 1: Make it so.");
  expect(told).toMatchObject({ thread: THREAD, state: "Todo" });
});

test("an unchanged continuation gets guidance: attempt, touching and the agent's own move are no difference", async () => {
  const moved = { ...ISSUE, state: "In Progress", updatedAt: after(T0, 60_000) };
  for (const cause of [CONTINUED, { type: "restarted" } as const]) {
    const said = await next(telling({ told: await first(), cause }), moved);
    expect(isWhole(said)).toBe(false);
    expect(said.text).not.toContain("Make it so.");
  }
});

test.each<[string, Then, Partial<Issue>]>([
  ["the template", { body: `${BODY} Mind the tests.` }, {}],
  ["the title", {}, { title: "Another" }],
  ["the description", {}, { description: "Make it blue." }],
  ["a state that somebody else set", { state: "Rework" }, { state: "Rework" }],
])("a run is told the whole prompt when %s has changed", async (_what, then, changes) => {
  const issue = { ...ISSUE, ...changes };
  const said = await next(telling({ told: await first(), ...then }), issue);
  expect(isWhole(said)).toBe(true);
  expect(said.text).toContain(`${issue.title} (${issue.state}), attempt 1: ${issue.description}`);
});

test("labels are a difference where the prompt has them", async () => {
  const body = "{{ issue.labels }}: do it.";
  const { told } = await next(telling({ body }), ISSUE, 1, false);
  expect(isWhole(await next(telling({ body, told })))).toBe(false);
  const labelled = { ...ISSUE, labels: [...ISSUE.labels, "urgent"] };
  expect(isWhole(await next(telling({ body, told }), labelled))).toBe(true);
});

test.each<[Cause]>([
  [{ type: "given_back", state: "Todo", before: "Human Review" }],
  [{ type: "released", parked: "it failed" }],
  [{ type: "retried", why: "it died" }],
  [{ type: "first" }],
])("only a continuation gets guidance: not a run with the cause %j", async (cause) => {
  expect(isWhole(await next(telling({ told: await first(), cause })))).toBe(true);
});

test("another thread knows nothing of what this one was told", async () => {
  const told = { ...(await first()), thread: threadId("t-other") };
  expect(isWhole(await next(telling({ told })))).toBe(true);
});

test("between turns a change is told once, and then it goes on with guidance", async () => {
  let body = BODY;
  const of = new Telling({
    run: run(null),
    known: { cause: { type: "first" }, told: null, state: "Todo" },
    ...NOTHING,
    workflow: () => workflowOf(withLines("", body)),
  });
  await next(of, ISSUE, 1, false);
  expect(isWhole(await next(of, { ...ISSUE, state: "In Progress" }, 2, false))).toBe(false);
  body = "Do it another way.";
  const changed = await next(of, ISSUE, 3, false);
  expect(changed.text).toMatch(/^The task of A-1 has changed.*Do it another way\.$/s);
  expect(isWhole(await next(of, ISSUE, 4, false))).toBe(false);
  expect(isWhole(await next(of, ISSUE, 5, false))).toBe(false);
});

test("a thread that takes over is told the prompt, and then what was done, which no first thread is", async () => {
  const done: Done = { runs: [], lastMessage: "Half of it.", files: [], commands: 0, failedCommands: 0 };
  const of = (cause: Cause): Telling =>
    new Telling({
      run: run(1),
      known: { cause, told: null, state: "Todo" },
      ...NOTHING,
      done: () => done,
      workflow: () => workflow,
    });
  const { text } = await next(of({ type: "retried", why: "it died" }), ISSUE, 1, false);
  expect(text).toMatch(/^Title of A-1 .*Make it so\.\n\n## Hand-over\n\n.*"it died".*\n> {3}Half of it\.\n/s);
  expect((await next(of({ type: "first" }), ISSUE, 1, false)).text).not.toContain("Hand-over");
});

const DONE: Done = {
  runs: [{ id: "r1", startedAt: T0, turns: 2, outcome: "completed", why: null }],
  lastMessage: "half of it is done",
  files: [],
  commands: 3,
  failedCommands: 0,
};

const begins = (cause: Cause, isOld: boolean): Telling =>
  new Telling({
    run: run(1),
    known: { cause, told: null, state: "Todo" },
    ...NOTHING,
    done: () => DONE,
    isOld: () => isOld,
    workflow: () => workflow,
  });

test("a new thread in a workspace that was there gets a hand-over, also where no last run is known", async () => {
  const { text } = await next(begins({ type: "first" }, true), ISSUE, 1, false);
  expect(text).toContain("half of it is done");
  expect((await next(begins({ type: "first" }, false), ISSUE, 1, false)).text).not.toContain("Hand-over");
});

test.each([
  ["too little for the whole record it is cut", 2_000, true],
  ["none for a record it is left out", 500, false],
])("of the hand-over: beside a prompt that leaves %s, and the turn goes on", async (_, left, isThere) => {
  const issue = madeIssue("A-1", { description: "x".repeat(INPUT_CHARACTERS_MAX - left) });
  const long = { ...DONE, lastMessage: "said\n".repeat(1_000) };
  const of = new Telling({
    run: run(1),
    known: { cause: CONTINUED, told: null, state: "Todo" },
    ...NOTHING,
    done: () => long,
    isOld: () => true,
    workflow: () => workflowOf(withLines("", "{{ issue.description }}")),
  });
  const { text } = await next(of, issue, 1, false);
  expect(text.length).toBeLessThanOrEqual(INPUT_CHARACTERS_MAX);
  expect(text.includes("## Hand-over")).toBe(isThere);
  expect(text.startsWith(issue.description ?? "?")).toBe(true);
  if (isThere) expect(text).toMatch(/the rest is left out.*do not start over\.$/s);
});

test("a prompt that leaves no room for the words around it is told without them", async () => {
  const issue = madeIssue("A-1", { description: "x".repeat(INPUT_CHARACTERS_MAX - 10) });
  const { text } = await next(telling({ body: "{{ issue.description }}" }), issue);
  expect(text).toBe(issue.description);
});
