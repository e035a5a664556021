/** A small past: four tickets, six runs, something of everything that the read commands show. */
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { type Issue, issueId } from "../../../src/domain/issue.ts";
import {
  type Ending,
  noTokens,
  type Run,
  runId,
  threadId,
  type Tokens,
  turnId,
  workflowName,
} from "../../../src/domain/run.ts";
import { after, type Instant, instant } from "../../../src/domain/time.ts";
import type { Ledger } from "../../../src/ledger/port.ts";
import type { LedgerRecord } from "../../../src/scheduler/effects.ts";
import type { Claim } from "../../../src/scheduler/state.ts";
import type { Tally } from "../../../src/scheduler/tally.ts";

/** Local noon, so that what is shown is the same in every time zone. */
export const now: Instant = instant(new Date(2031, 4, 9, 12, 0, 0).getTime());
export const ago = (minutes: number): Instant => after(now, -minutes * 60_000);

export const issue = (n: number, title: string): Issue => ({
  id: issueId(`00000000-0000-4000-8000-0000000000${n}`),
  identifier: `MT-${n}`,
  title,
  state: "In Progress",
  priority: 2,
  createdAt: ago(10_000),
  updatedAt: ago(100),
  dispatchable: true,
  labels: ["agent"],
  description: "Make it so.",
  nativeRef: null,
  assigneeId: null,
  branchName: null,
  url: `https://linear.app/acme/issue/MT-${n}`,
  blockedBy: [],
});

const tokens = (total: number): Tokens => ({
  input: Math.round(total * 0.9),
  cachedInput: Math.round(total * 0.7),
  output: total - Math.round(total * 0.9),
  reasoningOutput: Math.round(total * 0.02),
  total,
});

const main = workflowName("implement");

export const run = (n: number, of: Issue, startedAt: Instant, more: Partial<Run> = {}): Run => ({
  id: runId(`r${n}`),
  issueId: of.id,
  identifier: of.identifier,
  workflow: main,
  attempt: null,
  kind: "first",
  startedAt,
  ...more,
});

const hookFailed: Ending = {
  outcome: "failed",
  failure: failure("hook_failed", "The hook before_run exited with code 1 in /srv/work/MT-12.", {
    hint: "Run the hook by hand in that directory, then wait for the next attempt.",
    detail:
      "npm error code ENOTFOUND\nnpm error network request failed\nnpm error \u001b[31mno such host\u001b[0m",
  }),
};
const completed: Ending = { outcome: "completed", failure: null };

export const login = issue(12, "Log-in page forgets the address somebody came from");
export const dates = issue(13, "Dates in the export are one day early");
const search = issue(14, "検索結果が空のときの表示 🙈 \u001b[31mred\u001b[0m");
const flaky = issue(15, "Flaky test in the billing module");

/** Records of a run that is over. */
function over(
  of: Run,
  on: Issue,
  ending: Ending,
  minutes: number,
  spent: Tokens,
  turns: number,
): LedgerRecord[] {
  return [
    ...open(of, on),
    {
      type: "run_ended",
      runId: of.id,
      ending,
      turns,
      tokens: spent,
      at: after(of.startedAt, minutes * 60_000),
    },
  ];
}

const open = (of: Run, on: Issue): LedgerRecord[] => [
  { type: "run_started", run: of, issue: on, workflowHash: "hash-1" },
  {
    type: "run_launched",
    runId: of.id,
    pid: 4_321,
    startTicks: 99,
    bootId: "boot-1",
    workspace: `/srv/work/${on.identifier}`,
  },
  { type: "thread_opened", runId: of.id, threadId: threadId(`thread-${on.identifier}`), resumed: false },
];

export const fact = (of: Run, seconds: number, body: FactBody): Fact => ({
  ...body,
  at: after(of.startedAt, seconds * 1_000),
  workflow: of.workflow,
  issueId: of.issueId,
  identifier: of.identifier,
  runId: of.id,
});

const r1 = run(1, dates, ago(60 * 26));
const r2 = run(2, login, ago(190));
export const r3 = run(3, login, ago(180), { attempt: 1, kind: "retry" });
const r4 = run(4, search, ago(120));
const r5 = run(5, flaky, ago(90));
const r6 = run(6, login, ago(4), { attempt: 2, kind: "continuation" });

const running: Claim = {
  phase: "running",
  workflow: main,
  issue: login,
  run: r6,
  step: "turn",
  thread: threadId("thread-MT-12"),
  turns: 2,
  tokens: tokens(48_200),
  threadTotal: tokens(1_288_200),
  stateBefore: "Todo",
  landing: false,
  pulseAt: null,
  endBy: after(now, 3_600_000),
  leave: null,
  seenDuring: 0,
  ending: null,
};

export const waiting: Claim = {
  phase: "waiting",
  workflow: main,
  issue: flaky,
  retryAt: after(now, 40_000),
  attempt: 1,
  kind: "retry",
  why: "The agent said nothing for 5 minutes.",
  failure: failure("stalled", "The agent said nothing for 5 minutes."),
};

export const parked: Claim = {
  phase: "parked",
  workflow: main,
  issue: search,
  reason: "failing",
  why: "10 runs in a row failed.",
  wayOut: "Move the ticket to another state and back, or change its labels.",
  since: ago(60),
};

const tally: Tally = {
  runs: 3,
  failures: 0,
  idle: 0,
  fingerprint: null,
  extraRuns: 0,
  extraTokens: 0,
  tokens: tokens(1_288_200),
  thread: threadId("thread-MT-12"),
  threadTotal: tokens(1_288_200),
  threadFailures: 0,
  told: null,
  last: null,
};

const stalled: Ending = {
  outcome: "stalled",
  failure: failure("stalled", "The agent said nothing for 5 minutes.", { hint: "Look at its last command." }),
};

const timeline: readonly Fact[] = [
  fact(r3, 0, { type: "run_started", attempt: 1, kind: "retry" }),
  fact(r3, 1, { type: "workspace_ready", path: "/srv/work/MT-12", created: false }),
  fact(r3, 3, { type: "turn_started", turn: 1 }),
  fact(r3, 42, {
    type: "command_ran",
    command: "npm test",
    status: "completed",
    exitCode: 0,
    tookMs: 12_000,
    output: "42 passed",
  }),
  fact(r3, 60, {
    type: "tool_called",
    tool: "linear_graphql",
    callId: "call-1",
    operation: "CommentOnTicket",
    fields: ["commentCreate"],
    ids: [],
    complexity: 3,
    ok: true,
    error: null,
    tookMs: 180,
  }),
  fact(r3, 200, { type: "usage", total: tokens(1_240_000) }),
  fact(r3, 201, {
    type: "turn_ended",
    turn: 1,
    status: "completed",
    failure: null,
    message: "Fixed, tested and committed.",
  }),
  fact(r3, 3_720, {
    type: "run_ended",
    ending: completed,
    turns: 2,
    tokens: tokens(1_240_000),
    tookMs: 3_720_000,
  }),
];

/** Facts of a run whose hook failed. */
const failing: readonly Fact[] = [
  fact(r2, 0, { type: "run_started", attempt: null, kind: "first" }),
  fact(r2, 2, {
    type: "hook_ran",
    hook: "before_run",
    ok: false,
    tookMs: 1_900,
    output: "npm error code ENOTFOUND",
    error: "exited with code 1",
  }),
  fact(r2, 3, { type: "run_ended", ending: hookFailed, turns: 0, tokens: noTokens, tookMs: 3_000 }),
];

/** Writes all of it. */
export function writeHistory(ledger: Ledger): void {
  ledger.commit(over(r1, dates, completed, 12.5, tokens(340_000), 3), []);
  ledger.commit(over(r2, login, hookFailed, 0.05, noTokens, 0), failing);
  ledger.commit(over(r3, login, completed, 62, tokens(1_240_000), 2), timeline);
  ledger.commit(over(r4, search, { ...hookFailed, outcome: "timed_out" }, 6, tokens(950), 1), []);
  ledger.commit(over(r5, flaky, stalled, 5, tokens(12_345), 1), []);
  ledger.commit(
    [
      ...open(r6, login),
      {
        type: "turn_started",
        runId: r6.id,
        turnId: turnId("turn-1"),
        threadId: threadId("thread-MT-12"),
        number: 1,
        at: ago(3),
      },
      { type: "claim", claim: running, at: ago(3) },
      { type: "claim", claim: waiting, at: ago(85) },
      { type: "claim", claim: parked, at: ago(60) },
      { type: "tally", issueId: login.id, identifier: login.identifier, tally },
    ],
    [],
  );
}
