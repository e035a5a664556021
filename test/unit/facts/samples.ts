/** One fact of every type, and some in the forms that read differently. The compiler asks for those that are missing. */
import type { Fact, FactBody, FactType } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId, threadId, turnId, workflowName } from "../../../src/domain/run.ts";
import { after, instant } from "../../../src/domain/time.ts";

export const at = instant(Date.UTC(2031, 4, 9, 8));

export const scope = {
  workflow: workflowName("main"),
  issueId: issueId("issue-12"),
  identifier: "MT-12",
  runId: runId("r7"),
  threadId: threadId("0199-thread"),
  turnId: turnId("0199-turn"),
} as const;

const tokens = {
  input: 1_234_000,
  cachedInput: 1_100_000,
  output: 567,
  reasoningOutput: 120,
  total: 1_234_567,
};
const stalled = failure("stalled", "The agent said nothing for 5 minutes.", {
  hint: "Look at its last command.",
});

const bodies: { readonly [T in FactType]: readonly Extract<FactBody, { type: T }>[] } = {
  daemon_started: [{ type: "daemon_started", version: "0.1.0", pid: 4321, workflows: ["main", "triage"] }],
  survivors_ended: [
    { type: "survivors_ended", processes: 3 },
    { type: "survivors_ended", processes: 3, runs: 2 },
    { type: "survivors_ended", processes: 1, runs: 0 },
  ],
  runs_lost: [
    { type: "runs_lost", runs: 1, issues: ["MT-12"], letGo: 0 },
    { type: "runs_lost", runs: 9, issues: ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6", "A-7"], letGo: 2 },
    { type: "runs_lost", runs: 1, issues: [], letGo: 1 },
  ],
  daemon_stopping: [{ type: "daemon_stopping", why: "SIGTERM" }],
  daemon_stopped: [{ type: "daemon_stopped", uptimeMs: 93_784_000 }],
  workflow_loaded: [
    { type: "workflow_loaded", path: "/srv/WORKFLOW.md", hash: "aa11", warnings: [] },
    { type: "workflow_loaded", path: "/srv/WORKFLOW.md", hash: "aa11", warnings: ["unknown key `agnet`"] },
  ],
  workflow_rejected: [{ type: "workflow_rejected", path: "/srv/WORKFLOW.md", error: "4:26 not a number" }],
  polled: [{ type: "polled", candidates: 1, tookMs: 182 }],
  scan_changed: [
    {
      type: "scan_changed",
      open: { count: 12, isAll: true },
      listed: 3,
      running: 1,
      waiting: 0,
      parked: 0,
      blocked: 1,
      ready: 1,
      gate: null,
    },
  ],
  poll_failed: [
    { type: "poll_failed", kind: "tracker_rate_limited", error: "HTTP 429", retryAt: after(at, 90_000) },
    // A row of a version before SPEC 11.4 had names for all trackers.
    { type: "poll_failed", kind: "auth", error: "HTTP 401", retryAt: null },
    {
      type: "poll_failed",
      kind: "tracker_request",
      error: "Baton asks again by itself.",
      retryAt: after(at, 30_000),
      times: 120,
      since: after(at, -3_600_000),
    },
  ],
  refresh_failed: [
    { type: "refresh_failed", kind: "tracker_request", error: "no answer in 30 s" },
    { type: "refresh_failed", asked: "contenders", kind: "tracker_request", error: "no answer in 30 s" },
  ],
  tracker_answers: [
    { type: "tracker_answers", asked: "scan", times: 121, since: after(at, -3_630_000) },
    { type: "tracker_answers", asked: "running", times: 2, since: after(at, -30_000) },
  ],
  tracker_rates: [{ type: "tracker_rates", limits: { "requests-remaining": 2_400 } }],
  tracker_record_rejected: [{ type: "tracker_record_rejected", error: "issue 9: no identifier" }],
  claimed: [
    { type: "claimed", state: "Todo", attempt: null, kind: "first" },
    { type: "claimed", state: "Todo", attempt: 1, kind: "continuation", cause: "restarted" },
    { type: "claimed", state: "Todo", attempt: 1, kind: "continuation", cause: "continued" },
    { type: "claimed", state: "Todo", attempt: 2, kind: "retry", cause: "retried" },
  ],
  retry_scheduled: [
    { type: "retry_scheduled", retryAt: after(at, 40_000), attempt: 2, why: "the agent stalled" },
  ],
  released: [{ type: "released", why: 'it is done ("Done")' }],
  parked: [
    {
      type: "parked",
      reason: "failing",
      why: "10 runs in a row failed.",
      release: "Move it to another state and back.",
    },
  ],
  scans_paced: [
    { type: "scans_paced", everyMs: 150_000, wishedMs: 30_000, why: "Linear allows 250000 points an hour" },
    { type: "scans_paced", everyMs: 30_000, wishedMs: 30_000, why: null },
  ],
  slot_awaited: [{ type: "slot_awaited", why: 'workflow "main" has 2 of 2 runs' }],
  unparked: [{ type: "unparked", why: "somebody moved it" }],
  release_ordered: [
    { type: "release_ordered", during: "running", why: "somebody released it, with 1 more run" },
    { type: "release_ordered", during: "waiting", why: "somebody released it" },
  ],
  held: [
    { type: "held", why: "usage limit reached", until: after(at, 3_600_000) },
    { type: "held", why: "usage limit reached", until: null },
    {
      type: "held",
      cause: "installation",
      why: "The workspace root /w cannot be used.",
      remedy: "Give the user that runs Baton write permission there.",
      until: after(at, 30_000),
    },
  ],
  paused: [
    { type: "paused", what: "everything", why: "the release freeze", until: null },
    { type: "paused", what: 'workflow "main"', why: "lunch", until: instant(1_900_000_000_000) },
    {
      type: "paused",
      what: "everything",
      why: "an upgrade",
      until: null,
      before: { why: "lunch", since: at },
    },
  ],
  resumed: [{ type: "resumed", what: "everything", why: "somebody resumed it" }],
  draining: [{ type: "draining", why: "an upgrade" }],
  day_limit_reached: [
    { type: "day_limit_reached", used: 1_000_200, max: 1_000_000, until: instant(1_900_000_000_000) },
  ],
  agent_steered: [{ type: "agent_steered", used: 81_000, max: 100_000 }],
  disk_low: [{ type: "disk_low", why: "only 1.2 GiB are free" }],
  disk_ok: [{ type: "disk_ok" }],
  trial_due: [
    { type: "trial_due", because: "somebody resumed it" },
    { type: "trial_due", because: "somebody resumed it", by: "look" },
  ],
  codex_examined: [
    { type: "codex_examined", version: "0.169.0", unknown: null },
    { type: "codex_examined", version: null, unknown: "`node --version` says no version of Codex" },
  ],
  standing: [
    {
      type: "standing",
      what: "main is held",
      why: "usage limit reached",
      remedy: "Wait for the reset.",
      since: at,
      until: after(at, 3_600_000),
    },
    {
      type: "standing",
      what: "everything is paused",
      why: "freeze",
      remedy: "`baton resume` ends it.",
      since: at,
      until: null,
    },
  ],
  hold_ended: [{ type: "hold_ended" }],
  run_started: [
    { type: "run_started", attempt: null, kind: "first" },
    { type: "run_started", attempt: 2, kind: "retry" },
    { type: "run_started", attempt: 1, kind: "continuation" },
  ],
  run_stopping: [{ type: "run_stopping", why: "the issue is done" }],
  run_ended: [
    { type: "run_ended", ending: { outcome: "completed", failure: null }, turns: 3, tokens, tookMs: 200_000 },
    { type: "run_ended", ending: { outcome: "stalled", failure: stalled }, turns: 1, tokens, tookMs: 59_970 },
  ],
  workspace_ready: [{ type: "workspace_ready", path: "/work/MT-12", created: true }],
  workspace_rescued: [
    {
      type: "workspace_rescued",
      path: "/work/MT-12",
      to: "/srv/.baton/rescue/MT-12-20310509T080000Z",
      files: 2,
      commits: 1,
      bytes: 1_300_000,
    },
    {
      type: "workspace_rescued",
      path: "/work/MT-12",
      to: "/srv/.baton/rescue/MT-12-20310509T080000Z",
      files: 1,
      commits: 0,
      bytes: 12,
    },
  ],
  workspace_removed: [{ type: "workspace_removed", path: "/work/MT-12" }],
  workspace_kept: [
    { type: "workspace_kept", path: "/work/MT-12", error: "EACCES" },
    { type: "workspace_kept", path: "/work/MT-12", error: "EACCES.", again: "sweep" },
    { type: "workspace_kept", path: "/work/MT-12", error: "it was not saved.", again: "start" },
  ],
  hook_started: [{ type: "hook_started", hook: "before_run" }],
  hook_ran: [
    { type: "hook_ran", hook: "before_run", ok: true, tookMs: 80, output: "", error: null },
    { type: "hook_ran", hook: "after_run", ok: false, tookMs: 900, output: "boom\n", error: "exit code 2" },
    { type: "hook_ran", hook: "after_create", ok: false, tookMs: 9, output: "boom\n", error: "exit code 2" },
  ],
  agent_launched: [{ type: "agent_launched", pid: 999 }],
  thread_opened: [
    { type: "thread_opened", resumed: true, why: null },
    { type: "thread_opened", resumed: false, why: "no rollout found" },
    { type: "thread_opened", resumed: false, why: null },
  ],
  thread_given_up: [{ type: "thread_given_up", thread: threadId("0199-thread"), why: "it did not resume" }],
  turn_started: [{ type: "turn_started", turn: 1 }],
  turn_ended: [
    { type: "turn_ended", turn: 1, status: "completed", failure: null, message: "All tests pass." },
    { type: "turn_ended", turn: 1, status: "failed", failure: stalled, message: null },
    { type: "turn_ended", turn: 1, status: "interrupted", failure: null, message: null },
  ],
  usage: [{ type: "usage", total: tokens }],
  rate_limits: [{ type: "rate_limits", limits: { primary: { usedPercent: 12 } } }],
  command_ran: [
    {
      type: "command_ran",
      command: "npm test",
      status: "completed",
      exitCode: 0,
      tookMs: 4_200,
      output: "ok",
    },
    {
      type: "command_ran",
      command: "make",
      status: "failed",
      exitCode: 2,
      tookMs: null,
      output: "no rule\n",
    },
    {
      type: "command_ran",
      command: "rm -rf /",
      status: "declined",
      exitCode: null,
      tookMs: null,
      output: "",
    },
  ],
  files_changed: [
    {
      type: "files_changed",
      status: "completed",
      paths: ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts", "g.ts"],
    },
    { type: "files_changed", status: "failed", paths: [] },
  ],
  agent_said: [{ type: "agent_said", text: "I will\nlook at the tests." }],
  tool_started: [
    {
      type: "tool_started",
      tool: "linear_graphql",
      callId: "c1",
      operation: "Comment",
      fields: ["commentCreate"],
      ids: ["issue-12"],
      newIds: ["0b0a4a6e-7c55-4b43-9b8e-0d5a3d7f5c01"],
    },
  ],
  tool_called: [
    {
      type: "tool_called",
      tool: "linear_graphql",
      callId: "c1",
      operation: "Comment",
      fields: ["commentCreate"],
      ids: ["issue-12"],
      complexity: 12,
      ok: true,
      error: null,
      tookMs: 180,
    },
    {
      type: "tool_called",
      tool: "linear_graphql",
      callId: "c2",
      operation: null,
      fields: ["viewer", "team"],
      ids: [],
      complexity: null,
      ok: false,
      error: "two operations",
      tookMs: 1,
    },
  ],
  request_answered: [
    { type: "request_answered", method: "execApproval", answer: "accept", about: "npm install" },
  ],
  agent_retrying: [{ type: "agent_retrying", message: "stream disconnected", detail: "attempt 2 of 5" }],
  agent_warned: [{ type: "agent_warned", message: "config is deprecated" }],
  item: [{ type: "item", kind: "webSearch", status: "completed", summary: "vitest snapshot" }],
  malformed: [{ type: "malformed", error: "not JSON", line: "{oops" }],
  unknown_message: [{ type: "unknown_message", method: "thread/new/thing" }],
  warning: [{ type: "warning", message: "the log fails" }],
};

/** Samples by type; the scope is that of a turn. */
export const samples: readonly Fact[] = Object.values(bodies)
  .flat()
  .map((body): Fact => ({ ...body, ...scope, at }));

export const factTypes = Object.keys(bodies) as readonly FactType[];
