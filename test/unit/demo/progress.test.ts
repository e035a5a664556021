import { expect, test } from "vitest";
import type { BoardChange, BoardIssue } from "../../../src/demo/board/entities.ts";
import { BoardStore } from "../../../src/demo/board/store.ts";
import { bareCommand, changed, happened } from "../../../src/demo/happened.ts";
import { heard, newProgress, openBlockers, seen, spent } from "../../../src/demo/progress.ts";
import type { Progress, Ticket } from "../../../src/demo/progress.ts";
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens } from "../../../src/domain/run.ts";
import { issueId } from "../../../src/domain/issue.ts";
import type { Claim } from "../../../src/scheduler/state.ts";
import type { Tally } from "../../../src/scheduler/tally.ts";
import { instant } from "../../../src/domain/time.ts";

const about = { identifier: "DEMO-1", at: instant(1_000) };
const fact = (body: FactBody, more: Partial<Fact> = {}): Fact => ({ ...body, ...about, ...more }) as Fact;

const start = newProgress([
  {
    id: issueId("id-1"),
    identifier: "DEMO-1",
    title: "One",
    state: "Todo",
    wanted: true,
    labels: ["agent"],
    blockedBy: ["DEMO-2"],
  },
  {
    id: issueId("id-2"),
    identifier: "DEMO-2",
    title: "Two",
    state: "Todo",
    wanted: true,
    labels: ["agent"],
    blockedBy: [],
  },
]);

const one = (progress: Progress): Ticket => {
  const found = progress.get("DEMO-1");
  if (found === undefined) throw new Error("DEMO-1 is gone");
  return found;
};

const after = (...facts: readonly Fact[]): Ticket => one(facts.reduce(heard, start));

const started = fact({ type: "run_started", attempt: null, kind: "first" });
const ended = fact({
  type: "run_ended",
  ending: { outcome: "failed", failure: failure("provider_overloaded", "The server had an error") },
  turns: 1,
  tokens: noTokens,
  tookMs: 900,
});

test("runs and turns are counted over all runs of the ticket", () => {
  const turn = fact({ type: "turn_started", turn: 1 });
  expect(after(started, turn, ended, started, turn, turn)).toMatchObject({
    runs: 2,
    turns: 3,
    running: true,
  });
  expect(after(started, turn, ended)).toMatchObject({ running: false });
});

test("a run that begins ends the wait for it", () => {
  const waits = fact({ type: "retry_scheduled", retryAt: instant(11_000), attempt: 1, why: "it failed" });
  expect(after(started, ended, waits).retry).toEqual({ at: 11_000, why: "it failed" });
  expect(after(started, ended, waits, started).retry).toBeNull();
});

test("tokens are those of ended runs and of the one that runs", () => {
  const tokens = (total: number) => ({ ...noTokens, total });
  const tally: Tally = {
    runs: 2,
    failures: 0,
    idle: 0,
    fingerprint: null,
    extraRuns: 0,
    extraTokens: 0,
    tokens: tokens(250),
    thread: null,
    threadTotal: noTokens,
    threadFailures: 0,
    told: null,
    last: null,
  };
  const claim = { phase: "running", tokens: tokens(40) } as Claim;
  const tallies = new Map([[issueId("id-1"), tally]]);
  expect(one(spent(start, { tallies, claims: new Map([[issueId("id-1"), claim]]) })).tokens).toBe(290);
  expect(one(spent(start, { tallies, claims: new Map() })).tokens).toBe(250);
});

test("facts of nobody and of unknown tickets change nothing", () => {
  expect(heard(start, fact({ type: "hold_ended" }, { identifier: "DEMO-9" }))).toBe(start);
  const { identifier: _, ...daemon } = fact({ type: "hold_ended" });
  expect(heard(start, daemon as Fact)).toBe(start);
});

test("trouble is told whatever it is about, routine only where it says something", () => {
  const hook = { type: "hook_ran", hook: "after_run", tookMs: 5, output: "" } as const;
  expect(happened(fact({ ...hook, ok: true, error: null }))).toBeNull();
  expect(happened(fact({ ...hook, ok: false, error: "it exited with code 3" }))).toMatchObject({
    trouble: true,
  });
  expect(happened(fact({ type: "polled", candidates: 3, tookMs: 2 }))).toBeNull();
  expect(happened(started)).toMatchObject({ trouble: false });
  expect(happened(ended)?.text).toContain("The server had an error");
});

test("what was just said, or has its own column, is not said again", () => {
  const ended1 = fact({
    type: "turn_ended",
    turn: 1,
    status: "completed",
    failure: null,
    message: "All done.",
  });
  expect(happened(ended1)?.text).toBe("turn 1 completed");
  expect(happened(ended)?.text).toBe("run failed after 900 ms: The server had an error");
});

test("files are named as seen from the workspace", () => {
  const paths = ["/home/ada/.cache/baton/demo/workspaces/DEMO-1/checks/nobody.sh"];
  expect(happened(fact({ type: "files_changed", status: "completed", paths }))?.text).toBe(
    "changed 1 file: checks/nobody.sh",
  );
});

test("a thread that goes on is worth a line, a new one is not", () => {
  expect(happened(fact({ type: "thread_opened", resumed: true, why: null }))).not.toBeNull();
  expect(happened(fact({ type: "thread_opened", resumed: false, why: null }))).toBeNull();
});

test.each([
  ["/bin/bash -lc './test.sh'", "./test.sh"],
  [
    "/bin/bash -c 'git add --all && git commit --message \"Say goodbye\"'",
    'git add --all && git commit --message "Say goodbye"',
  ],
  ["/usr/bin/bash -c ./test.sh", "./test.sh"],
  [`/bin/zsh -lc 'echo '\\''hi'\\'''`, "echo 'hi'"],
  ["git status", "git status"],
])("of %s the command is shown", (given, shown) => {
  expect(bareCommand(given)).toBe(shown);
});

function board(): { store: BoardStore; issue: BoardIssue; changes: BoardChange[] } {
  const store = new BoardStore({}, () => new Date(0));
  const issue = store.add({ title: "One", state: "Todo" });
  const changes: BoardChange[] = [];
  store.subscribe((change) => changes.push(change));
  return { store, issue, changes };
}

test("moves and comments on the board are told and kept", () => {
  const { store, issue, changes } = board();
  const stateName = (id: string): string => store.state(id).name;
  store.move(issue.id, "In Progress");
  store.comment({ issueId: issue.id, body: "It works now.\n\nCommit abc." });
  const progress = changes.reduce((known, change) => seen(known, change, stateName), start);
  expect(one(progress)).toMatchObject({ state: "In Progress", comments: 1 });
  expect(changes.map((change) => changed(change, stateName)?.text)).toEqual([
    'moved from "Todo" to "In Progress"',
    "commented: It works now.",
  ]);
});

test("an edit that moves nothing is not told", () => {
  const { store, issue, changes } = board();
  store.label(issue.id, "later");
  expect(changes.map((change) => changed(change, (id) => id))).toEqual([null]);
});

test("a blocker stands in the way until it is done", () => {
  expect(openBlockers(start, one(start))).toEqual(["DEMO-2"]);
  const two = start.get("DEMO-2");
  const done = new Map(start).set("DEMO-2", { ...(two as Ticket), state: "Done" });
  expect(openBlockers(done, one(done))).toEqual([]);
});
