/** Small records and facts to fill a ledger with. */
import type { Fact } from "../../src/domain/fact.ts";
import { failure } from "../../src/domain/failure.ts";
import { issueId } from "../../src/domain/issue.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { noTokens, runId, threadId, turnId, workflowName } from "../../src/domain/run.ts";
import type { Ending, Run, Tokens } from "../../src/domain/run.ts";
import { after, instant } from "../../src/domain/time.ts";
import type { Instant } from "../../src/domain/time.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Running } from "../../src/scheduler/state.ts";
import type { Tally } from "../../src/scheduler/tally.ts";

const start: Instant = instant(Date.UTC(2031, 4, 9, 8));
export const at = (seconds: number): Instant => after(start, seconds * 1_000);

export const issue = (n: number): Issue => ({
  id: issueId(`issue-${n}`),
  identifier: `MT-${n}`,
  title: `Ticket ${n}`,
  state: "Todo",
  priority: n % 5 === 0 ? null : n % 5,
  createdAt: start,
  updatedAt: null,
  dispatchable: true,
  labels: ["agent"],
  description: "Make it so.",
  nativeRef: null,
  assigneeId: null,
  branchName: null,
  url: null,
  blockedBy: [],
});

export const tokens = (total: number): Tokens => ({
  input: total - 2,
  cachedInput: 1,
  output: 2,
  reasoningOutput: 1,
  total,
});

export const run = (n: number, more: Partial<Run> = {}): Run => ({
  id: runId(`r${n}`),
  issueId: issue(n).id,
  identifier: issue(n).identifier,
  workflow: workflowName("main"),
  attempt: null,
  kind: "first",
  startedAt: at(n),
  ...more,
});

export const running = (of: Run): Running => ({
  phase: "running",
  workflow: of.workflow,
  issue: { ...issue(1), id: of.issueId, identifier: of.identifier },
  run: of,
  step: "starting",
  thread: null,
  turns: 0,
  tokens: noTokens,
  threadTotal: noTokens,
  stateBefore: "Todo",
  landing: false,
  pulseAt: null,
  endBy: after(of.startedAt, 1_000),
  leave: null,
  seenDuring: 0,
  ending: null,
});

export const started = (of: Run): LedgerRecord => ({
  type: "run_started",
  run: of,
  issue: { ...issue(1), id: of.issueId, identifier: of.identifier },
  workflowHash: "hash-1",
});

export const launched = (of: Run): LedgerRecord => ({
  type: "run_launched",
  runId: of.id,
  pid: 4_321,
  startTicks: 99_000,
  bootId: "boot-1",
  workspace: `/srv/work/${of.identifier}`,
});

export const opened = (of: Run, thread = "thread-1"): LedgerRecord => ({
  type: "thread_opened",
  runId: of.id,
  threadId: threadId(thread),
  resumed: false,
});

/** `text`: what it was given. */
export const turnStarted = (of: Run, number: number, text?: string): LedgerRecord => ({
  type: "turn_started",
  runId: of.id,
  turnId: turnId(`${of.id}-turn-${number}`),
  threadId: threadId("thread-1"),
  number,
  ...(text === undefined ? {} : { text }),
  at: at(number),
});

export const turnEnded = (of: Run, number: number): LedgerRecord => ({
  type: "turn_ended",
  runId: of.id,
  turnId: turnId(`${of.id}-turn-${number}`),
  status: "completed",
  failure: null,
  message: "Done.",
  at: at(number + 1),
});

export const used = (of: Run, total: number, more: { thread?: string; at?: Instant } = {}): LedgerRecord => ({
  type: "usage",
  runId: of.id,
  issueId: of.issueId,
  threadId: threadId(more.thread ?? "thread-1"),
  total: tokens(total),
  run: tokens(total),
  at: more.at ?? at(30),
});

export const completed: Ending = { outcome: "completed", failure: null };
export const stalled: Ending = {
  outcome: "stalled",
  failure: failure("stalled", "The agent said nothing for 5 minutes.", { hint: "Look at its last command." }),
};

export const ended = (of: Run, ending: Ending = completed, used: Tokens = noTokens): LedgerRecord => ({
  type: "run_ended",
  runId: of.id,
  ending,
  turns: 2,
  tokens: used,
  at: at(60),
});

export const tally: Tally = {
  runs: 3,
  failures: 1,
  idle: 2,
  fingerprint: "f1",
  extraRuns: 1,
  extraTokens: 700,
  tokens: tokens(500),
  thread: threadId("thread-1"),
  threadTotal: tokens(300),
  threadFailures: 1,
  told: { thread: threadId("thread-1"), digest: "d1", state: "Todo" },
  last: {
    at: at(60),
    state: "Todo",
    thread: threadId("thread-1"),
    turns: 2,
    outcome: "failed",
    kind: "port_exit",
    why: "It died.",
    released: null,
  },
};

export const tallied = (n: number, of: Tally = tally): LedgerRecord => ({
  type: "tally",
  issueId: issue(n).id,
  identifier: issue(n).identifier,
  tally: of,
});

export const said = (text: string, of?: Run): Fact => ({
  type: "agent_said",
  text,
  at: at(5),
  ...(of === undefined ? {} : { runId: of.id, issueId: of.issueId, identifier: of.identifier }),
});

export const toolCalled = (of: Run, callId: string): Fact => ({
  type: "tool_called",
  tool: "linear_graphql",
  callId,
  operation: "Comment",
  fields: ["commentCreate"],
  ids: [of.issueId],
  complexity: 12.5,
  ok: true,
  error: null,
  tookMs: 80.25,
  at: at(7),
  runId: of.id,
  issueId: of.issueId,
});
