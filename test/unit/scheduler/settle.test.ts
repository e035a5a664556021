import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { runId, threadId, turnId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { nothing } from "../../../src/scheduler/change.ts";
import { violations } from "../../../src/scheduler/invariants.ts";
import { PersistentMap } from "../../../src/scheduler/persistent-map.ts";
import { settle } from "../../../src/scheduler/settle.ts";
import type { Hold, Lane, Running, State } from "../../../src/scheduler/state.ts";
import { newTally, type Tally } from "../../../src/scheduler/tally.ts";
import {
  type PolicyChanges,
  Bench,
  T0,
  W,
  madeIssue,
  madeLane,
  madePolicy,
  madeRunning,
  madeState,
  madeHold,
} from "./made.ts";
import { THREAD, completeTurn, exit, heldFor, inTurn, refusal, refuse, tokens, wholeRun } from "./played.ts";

const MINUTE = 60_000;
const [ONE, TWO] = [madeIssue("A-1"), madeIssue("A-2")];

/** What becomes of an issue whose run is over, by what settle.ts looks at. */
interface Case {
  readonly is: string;
  readonly why?: Parameters<typeof failure>;
  readonly issue?: Partial<Issue>;
  readonly claim?: Partial<Running>;
  readonly tally?: Partial<Tally>;
  readonly policy?: PolicyChanges;
  readonly lane?: Partial<Lane> | null;
  readonly phase?: State["phase"];
  readonly changed?: boolean;
  /** The claim that is left; null = none. */
  readonly becomes: object | null;
  readonly counted?: Partial<Tally>;
  readonly removed?: true;
}

const DIED = ["port_exit", "it died"] as const;
const done: NonNullable<Case["claim"]> = { ending: { outcome: "completed", failure: null } };

const CASES: readonly Case[] = [
  { is: "done", claim: done, issue: { state: "Done" }, becomes: null, removed: true },
  {
    is: "done, whatever its run died of",
    why: [...DIED],
    issue: { state: "Done" },
    becomes: null,
    removed: true,
  },
  { is: "not active any more", claim: done, issue: { state: "Backlog" }, becomes: null },
  { is: "without its label", claim: done, issue: { labels: [] }, becomes: null },
  {
    is: "not active any more, and its limits are used up",
    claim: done,
    issue: { state: "Backlog" },
    policy: { limits: { maxRunsPerIssue: 1 } },
    becomes: null,
  },
  {
    is: "active after a good end",
    claim: done,
    becomes: { phase: "waiting", kind: "continuation", attempt: 1, retryAt: after(T0, 1_000), failure: null },
  },
  {
    is: "active after it was seen not to be",
    claim: { ending: { outcome: "canceled", failure: failure("no_longer_eligible", "gone") } },
    becomes: { phase: "waiting", kind: "continuation", retryAt: after(T0, 1_000) },
    counted: { failures: 0, runs: 1 },
  },
  {
    is: "failed for the first time",
    why: [...DIED],
    becomes: { phase: "waiting", kind: "retry", attempt: 1, retryAt: after(T0, 10_000), why: "it died" },
    counted: { failures: 1, runs: 1 },
  },
  {
    is: "failed again",
    why: [...DIED],
    tally: { failures: 2, runs: 3 },
    becomes: { phase: "waiting", kind: "retry", retryAt: after(T0, 40_000) },
    counted: { failures: 3, runs: 3 },
  },
  {
    is: "failed, without a word",
    becomes: { phase: "waiting", kind: "retry", failure: { kind: "port_exit" } },
    counted: { failures: 1 },
  },
  {
    is: "failed as often as it may",
    why: [...DIED],
    tally: { failures: 9 },
    becomes: { phase: "parked", reason: "failing", unseen: true },
    counted: { failures: 10 },
  },
  {
    is: "refused its workspace, in which another daemon works: that is nobody's failure",
    why: ["workspace_in_use", "it is another daemon's"],
    claim: { run: { ...madeRunning(ONE).run, attempt: 2, kind: "retry" } },
    tally: { failures: 9, runs: 3 },
    becomes: { phase: "waiting", kind: "retry", attempt: 3, retryAt: after(T0, 40_000) },
    counted: { failures: 9, runs: 2 },
  },
  {
    is: "out of runs",
    claim: done,
    tally: { runs: 15 },
    becomes: { phase: "parked", reason: "runs_exhausted" },
  },
  {
    is: "out of runs, but for those that a person granted",
    claim: done,
    tally: { runs: 15, extraRuns: 1 },
    becomes: { phase: "waiting" },
  },
  {
    is: "out of tokens with what this run used",
    claim: { ...done, tokens: tokens(600) },
    tally: { tokens: tokens(400) },
    policy: { limits: { maxTokensPerIssue: 1_000 } },
    becomes: { phase: "parked", reason: "tokens_exhausted" },
    counted: { tokens: tokens(1_000) },
  },
  {
    is: "where it was, once more than it may be",
    claim: done,
    changed: false,
    tally: { idle: 2 },
    becomes: { phase: "parked", reason: "no_progress" },
    counted: { idle: 3 },
  },
  {
    is: "somewhere else in the tracker, with nothing changed in its workspace",
    claim: { ...done, stateBefore: "In Progress" },
    changed: false,
    tally: { idle: 2 },
    becomes: { phase: "waiting" },
    counted: { idle: 0 },
  },
  {
    is: "where it was, and the run failed",
    why: [...DIED],
    changed: false,
    tally: { idle: 2 },
    becomes: { phase: "waiting" },
    counted: { idle: 2 },
  },
  {
    is: "in need of a person who approves",
    why: ["approval_required", "may I?"],
    becomes: { phase: "parked", reason: "needs_person", why: "may I?" },
  },
  {
    is: "in need of a person who answers",
    why: ["turn_input_required", "which?"],
    becomes: { phase: "parked", reason: "needs_person" },
  },
  {
    is: "refused by the provider",
    why: ["usage_limit", "used up"],
    tally: { runs: 3, failures: 2 },
    becomes: { phase: "waiting", kind: "first", attempt: 1, retryAt: after(T0, 300_000) },
    counted: { runs: 2, failures: 2 },
  },
  {
    is: "refused by the provider at a retry",
    why: ["usage_limit", "used up"],
    claim: { run: { ...madeRunning(ONE).run, attempt: 4, kind: "retry" } },
    becomes: { phase: "waiting", kind: "retry", attempt: 4 },
  },
  {
    is: "cut short by a stop",
    claim: { ending: { outcome: "interrupted", failure: failure("shutdown", "stopping") } },
    phase: "stopping",
    tally: { runs: 3, failures: 1 },
    becomes: { phase: "waiting", kind: "continuation", attempt: 1, retryAt: T0 },
    counted: { runs: 2, failures: 1 },
  },
  {
    is: "cut short by a stop, and its limits are used up",
    claim: done,
    phase: "stopped",
    tally: { runs: 15 },
    becomes: { phase: "waiting", retryAt: T0 },
  },
  {
    is: "of a workflow that nobody knows",
    claim: done,
    lane: null,
    becomes: { phase: "waiting", kind: "continuation", retryAt: T0 },
  },
  {
    is: "released by a person meanwhile, and refused",
    why: ["usage_limit", "used up"],
    tally: { runs: 0 },
    becomes: { phase: "waiting" },
    counted: { runs: 0 },
  },
];

function settled({
  why,
  issue = {},
  claim = {},
  tally = {},
  policy = {},
  lane = {},
  phase = "serving",
  changed,
}: Case) {
  const running = madeRunning({ ...ONE, ...issue }, claim);
  const known = lane === null ? undefined : madeLane({ policy: madePolicy(policy), ...lane });
  const tallies = PersistentMap.of([[ONE.id, { ...newTally, runs: 1, ...tally }]]);
  const workflows = new Map(known === undefined ? [] : [[W, known]]);
  const state = { ...madeState(madeLane(), [running], { phase, tallies }), workflows };
  const news = {
    type: "exited",
    runId: running.run.id,
    issueId: ONE.id,
    failure: why === undefined ? null : failure(...why),
    changed: changed ?? null,
    at: T0,
  } as const;
  const decision = settle(nothing(state), running, news, known);
  expect(violations(state, decision)).toEqual([]);
  return decision;
}

test.each(CASES)("an issue that is $is: one outcome, and what follows", (row) => {
  const { state, records, work } = settled(row);
  const claim = state.claims.get(ONE.id);
  if (row.becomes === null) expect(claim).toBeUndefined();
  else expect(claim).toMatchObject(row.becomes);
  expect(records.filter(({ type }) => type === "run_ended")).toHaveLength(1);
  expect(state.tallies.get(ONE.id)).toMatchObject(row.counted ?? {});
  expect(work.map(({ type }) => type)).toEqual(row.removed === true ? ["remove"] : []);
});

test("a run that had no turn leaves the thread as it was; one that had leaves its own", () => {
  const [kept, own] = [threadId("t-kept"), threadId("t-own")];
  for (const [turns, thread] of [
    [0, kept],
    [1, own],
  ] as const) {
    const claim = { turns, thread: own, threadTotal: tokens(50), ...done };
    const { state } = settled({
      is: "",
      claim,
      tally: { thread: kept, threadTotal: tokens(9) },
      becomes: null,
    });
    expect(state.tallies.get(ONE.id)).toMatchObject({ thread, threadTotal: tokens(turns === 0 ? 9 : 50) });
  }
});

test("a trial that found out nothing lets the next run try; that of another run goes on", () => {
  const hold = (trial: string): Hold => madeHold({ why: "no", until: T0, refusals: 1, trial: runId(trial) });
  const mine = settled({ is: "", why: ["hook_failed", "no"], lane: { hold: hold("r-A-1") }, becomes: null });
  expect(mine.state.workflows.get(W)?.hold).toMatchObject({ trial: null, refusals: 1 });
  const other = settled({ is: "", why: ["hook_failed", "no"], lane: { hold: hold("r-9") }, becomes: null });
  expect(other.state.workflows.get(W)?.hold).toMatchObject({ trial: "r-9" });
});

describe("an issue whose run is over", () => {
  test("well with the issue still active is continued after a second, on its thread", () => {
    const bench = new Bench(madePolicy({ turnsMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    exit(bench, issue);
    expect(bench.claim(issue)).toMatchObject({
      phase: "waiting",
      attempt: 1,
      kind: "continuation",
      retryAt: after(bench.now, 1000),
    });
    bench.take("start");
    bench.pass(1000);
    bench.answer(issue);
    expect(bench.take("start")).toMatchObject([{ run: { attempt: 1, id: "r2" }, resume: THREAD }]);
  });

  test("by a failure is retried after 10 s, then 20 s, up to the cap", () => {
    const bench = new Bench(madePolicy({ backoffMaxMs: 35_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const waits: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      exit(bench, issue, ["port_exit", "it died"]);
      const claim = bench.claim(issue);
      if (claim?.phase !== "waiting") throw new Error("not waiting");
      expect(claim.attempt).toBe(n + 1);
      waits.push(claim.retryAt - bench.now);
      bench.pass(claim.retryAt - bench.now);
      bench.answer(issue);
    }
    expect(waits).toEqual([10_000, 20_000, 35_000, 35_000]);
  });

  test("by a failed turn ends as failed with that reason, and the first reason stays", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const why = failure("context_window_exceeded", "too long");
    bench.say({
      ...bench.run(issue),
      type: "turn_ended",
      turnId: turnId("u-1"),
      status: "failed",
      failure: why,
      message: null,
    });
    const { records } = bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("port_exit", "later"),
      changed: null,
    });
    expect(records).toContainEqual(
      expect.objectContaining({ type: "run_ended", ending: { outcome: "failed", failure: why } }),
    );
  });

  test("is over once: late news of it changes nothing", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const run = bench.run(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const before = bench.state;
    const late = [
      { ...run, type: "usage", threadId: THREAD, total: tokens(5) },
      { ...run, type: "exited", failure: null, changed: null },
    ] as const;
    for (const news of late) expect(bench.say(news)).toEqual(nothing(before));
    expect(bench.state).toBe(before);
  });

  test("runs that change nothing park the issue; moving it, changing something, or not knowing does not count", () => {
    const bench = new Bench(madePolicy({ turnsMax: 1, limits: { maxIdleRuns: 2 } }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    for (const changed of [false, true, false, null, false]) wholeRun(bench, issue, changed);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
    wholeRun(bench, issue, false);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "no_progress" });
  });
});

const bothRunning = (): Bench => {
  const bench = new Bench();
  bench.scan(ONE, TWO);
  return bench;
};

describe("a refusal by the provider", () => {
  test("runs that are refused together are one refusal: the hold is not doubled for each of them", () => {
    const bench = bothRunning();
    refuse(bench, ONE);
    refuse(bench, TWO);
    expect(heldFor(bench)).toBe(5 * MINUTE);
    expect(bench.facts("held")).toHaveLength(1);
  });

  test("a time that the provider told is not shortened by a refusal that tells none, or an earlier one", () => {
    const bench = bothRunning();
    const told = after(bench.now, 120 * MINUTE);
    refuse(bench, ONE, told);
    refuse(bench, TWO);
    expect(heldFor(bench)).toBe(120 * MINUTE);
    expect(bench.claim(TWO)).toMatchObject({ phase: "waiting", retryAt: told });

    const other = bothRunning();
    refuse(other, ONE, told);
    refuse(other, TWO, after(other.now, MINUTE));
    expect(heldFor(other)).toBe(120 * MINUTE);
  });

  test("a time that the provider told takes the place of a guess, also of a longer one", () => {
    const bench = bothRunning();
    refuse(bench, ONE);
    refuse(bench, TWO, after(bench.now, MINUTE));
    expect(heldFor(bench)).toBe(MINUTE);
  });

  test("a refusal holds the workflow whatever becomes of the issue, and while Baton is stopping", () => {
    const bench = bothRunning();
    const gone = { ...ONE, state: "Done" };
    bench.say({ type: "refreshed", workflow: W, ids: [ONE.id], statuses: [gone] });
    refuse(bench, ONE);
    expect(bench.claim(ONE)).toBeUndefined();
    expect(heldFor(bench)).toBe(5 * MINUTE);

    const stopping = bothRunning();
    const ended = { status: "failed", failure: refusal(null), message: null } as const;
    stopping.say({ ...stopping.run(ONE), type: "turn_ended", turnId: null, ...ended });
    stopping.say({ type: "stop_requested", why: "SIGTERM", force: false });
    stopping.say({ ...stopping.run(ONE), type: "exited", failure: null, changed: null });
    expect(heldFor(stopping)).toBe(5 * MINUTE);
  });

  test("a provider that takes no work holds dispatch and costs the issue no attempt", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    const resetsAt = bench.now + 3_600_000;
    bench.scan(issue);
    bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("usage_limit", "used up", { resetsAt }),
      changed: null,
    });
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 0, failures: 0 });
    bench.take("start");
    bench.scan(issue, madeIssue("A-2"));
    bench.pass(3_599_000);
    bench.answer(issue, madeIssue("A-2"));
    expect(bench.take("start")).toEqual([]);
    bench.pass(1000);
    bench.answer(issue, madeIssue("A-2"));
    // One run finds out whether the provider works again; its first completed turn lets the others start.
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-2"]);
    inTurn(bench, madeIssue("A-2"));
    completeTurn(bench, madeIssue("A-2"));
    bench.answer(issue);
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-1"]);
  });

  test("is left alone for longer each time it gives no reset time", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const waits: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      refuse(bench, issue);
      const until = bench.state.workflows.get(W)?.hold?.until ?? bench.now;
      waits.push((until - bench.now) / 60_000);
      bench.pass(until - bench.now);
      bench.answer(issue);
    }
    expect(waits).toEqual([5, 10, 20]);
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, failures: 0 });
  });

  test("is tried by one run at a time, also after one that found out nothing", () => {
    const bench = new Bench();
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one);
    refuse(bench, one);
    bench.pass(5 * 60_000);
    bench.scan(one, two);
    expect(bench.take("start")).toHaveLength(2);
    bench.say({ ...bench.run(one), type: "exited", failure: failure("hook_failed", "no"), changed: null });
    bench.answer(one, two);
    expect(bench.claim(two)).toMatchObject({ phase: "running" });
    expect(bench.state.workflows.get(W)?.hold).toMatchObject({ trial: "r3" });
  });
});
