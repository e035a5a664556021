import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { describe, MESSAGE_CHARS_MAX } from "../../../src/facts/describe.ts";
import { factTypes, samples } from "./samples.ts";

const lines = (): string[] =>
  samples.map((fact) => {
    const { level, message } = describe(fact);
    return `${level.padEnd(5)} ${fact.type}: ${message}`;
  });

test("a fact of another version is said to be unknown, and hides no other", () => {
  const unknown = JSON.parse('{ "type": "from_the_future", "at": 1 }') as Fact;
  expect(describe(unknown)).toEqual({
    level: "debug",
    message: "something this version does not know: from_the_future",
  });
});

test("every type of fact has its words", () => {
  expect(lines()).toMatchInlineSnapshot(`
    [
      "info  daemon_started: Baton 0.1.0 started (pid 4321) with 2 workflows: main, triage",
      "warn  survivors_ended: ended 3 processes that earlier runs had left running",
      "warn  survivors_ended: ended 3 processes that earlier runs had left running: agents, hooks, and what those had started; 2 runs were under way when Baton's last process ended",
      "warn  survivors_ended: ended 1 process that earlier runs had left running: what a hook or an agent starts does not outlive the daemon that began the run; a service that should stay has to be started outside of Baton",
      "info  runs_lost: 1 run was cut short when Baton's last process ended; its issue is taken up again: MT-12",
      "info  runs_lost: 9 runs were cut short when Baton's last process ended; their issues are taken up again: A-1, A-2, A-3, A-4, A-5, and 2 more; 2 of them are let go of, their workflows are not run now",
      "info  runs_lost: 1 run was cut short when Baton's last process ended; it is let go of, its workflow is not run now",
      "info  daemon_stopping: stopping: SIGTERM; no new runs, running ones are ended",
      "info  daemon_stopped: Baton stopped after 1 d 2 h",
      "info  workflow_loaded: loaded /srv/WORKFLOW.md",
      "warn  workflow_loaded: loaded /srv/WORKFLOW.md with 1 warning: unknown key \`agnet\`",
      "error workflow_rejected: cannot be used, the last good version stays in force: /srv/WORKFLOW.md: 4:26 not a number",
      "debug polled: 1 candidate in the tracker (182 ms)",
      "info  scan_changed: 12 open, 3 labelled, 1 running, 1 blocked, 1 waiting for a slot",
      "warn  poll_failed: the tracker could not be asked for work (tracker_rate_limited): HTTP 429. It is asked again in 1 min 30 s.",
      "warn  poll_failed: the tracker could not be asked for work (auth): HTTP 401.",
      "warn  poll_failed: the tracker could not be asked for work (tracker_request), 120 times in a row since 2031-05-09 07:00:00 UTC: Baton asks again by itself. It is asked again in 30.0 s.",
      "warn  refresh_failed: running issues could not be looked up, they go on (tracker_request): no answer in 30 s.",
      "warn  refresh_failed: issues that could start could not be looked up, they wait (tracker_request): no answer in 30 s.",
      "info  tracker_answers: the tracker answers again; it was asked 121 times in vain for work, within 1 h 1 min",
      "info  tracker_answers: the tracker answers again; it was asked 2 times in vain for running issues, within 30.0 s",
      "debug tracker_rates: tracker's rate limits: requests-remaining=2400",
      "warn  tracker_record_rejected: left out an issue that cannot be read: issue 9: no identifier",
      "info  claimed: claimed in state "Todo": first run",
      "info  claimed: claimed in state "Todo": another run, the last one was cut short when Baton ended",
      "info  claimed: claimed in state "Todo": another run, the issue is still active",
      "info  claimed: claimed in state "Todo": retry 2",
      "info  retry_scheduled: runs again in 40.0 s (attempt 2): the agent stalled",
      "info  released: released: it is done ("Done")",
      "error parked: parked (failing) until a person acts: 10 runs in a row failed. Move it to another state and back.",
      "info  scans_paced: scans every 2 min 30 s instead of 30.0 s: Linear allows 250000 points an hour",
      "info  scans_paced: scans every 30.0 s again",
      "info  slot_awaited: due, and waits for a slot: workflow "main" has 2 of 2 runs",
      "info  unparked: no longer parked: somebody moved it",
      "info  release_ordered: its counters start again: somebody released it, with 1 more run",
      "info  release_ordered: due now, and its counters start again: somebody released it",
      "warn  held: the provider takes no work, so nothing starts before 2031-05-09 09:00:00 UTC, and then one run that tries: usage limit reached.",
      "warn  held: the provider takes no work, so nothing starts: usage limit reached.",
      "warn  held: no run can begin here, so nothing starts before 2031-05-09 08:00:30 UTC, and then one run that tries: The workspace root /w cannot be used. Give the user that runs Baton write permission there.",
      "warn  paused: everything is paused until somebody resumes: the release freeze",
      "warn  paused: workflow "main" is paused until 2030-03-17 17:46:40 UTC: lunch",
      "warn  paused: everything is paused until somebody resumes: an upgrade (since 2031-05-09 08:00:00 UTC it was: lunch)",
      "info  resumed: everything goes on: somebody resumed it",
      "info  draining: no new work is taken, running turns come to their end: an upgrade",
      "warn  day_limit_reached: today's tokens are used up (1000200 of 1000000): nothing new starts before 2030-03-17 17:46:40 UTC",
      "warn  agent_steered: 81000 of 100000 tokens are used: the agent was asked to commit and come to an end",
      "warn  disk_low: nothing new starts: only 1.2 GiB are free",
      "info  disk_ok: the disk takes work again",
      "info  trial_due: one run tries now whether it is over: somebody resumed it",
      "info  trial_due: Codex is looked at again now: somebody resumed it",
      "debug codex_examined: Codex 0.169.0 has what is needed",
      "info  codex_examined: whether Codex has what is needed cannot be known, and nothing is held for it: \`node --version\` says no version of Codex",
      "warn  standing: main is held since 2031-05-09 08:00:00 UTC until 2031-05-09 09:00:00 UTC: usage limit reached. Wait for the reset.",
      "warn  standing: everything is paused since 2031-05-09 08:00:00 UTC: freeze. \`baton resume\` ends it.",
      "info  hold_ended: runs start again",
      "debug run_started: run started: first run",
      "debug run_started: run started: retry 2",
      "debug run_started: run started: another run",
      "debug run_stopping: ending the run: the issue is done",
      "info  run_ended: run completed (3 turns, 1,234,567 tokens (1,234,000 in, 1,100,000 of them cached, 567 out), 3 min 20 s)",
      "warn  run_ended: run stalled: the agent fell silent (1 turn, 1,234,567 tokens (1,234,000 in, 1,100,000 of them cached, 567 out), 1 min). The agent said nothing for 5 minutes. Look at its last command.",
      "debug workspace_ready: made workspace /work/MT-12",
      "info  workspace_rescued: saved 1 commit and changes of 2 files that nobody had pushed from /work/MT-12 to /srv/.baton/rescue/MT-12-20310509T080000Z (1.2 MiB)",
      "info  workspace_rescued: saved changes of 1 file that nobody had pushed from /work/MT-12 to /srv/.baton/rescue/MT-12-20310509T080000Z (12 bytes)",
      "info  workspace_removed: removed workspace /work/MT-12",
      "warn  workspace_kept: workspace /work/MT-12 could not be removed: EACCES",
      "warn  workspace_kept: workspace /work/MT-12 could not be removed: EACCES. It is tried again with the next sweep, in an hour at most.",
      "warn  workspace_kept: workspace /work/MT-12 could not be removed: it was not saved. It is tried again with the next start.",
      "debug hook_started: hook before_run started",
      "debug hook_ran: hook before_run ran (80 ms)",
      "warn  hook_ran: hook after_run failed after 900 ms: exit code 2; its last words: boom",
      "info  hook_ran: hook after_create failed after 9 ms; its last words: boom",
      "debug agent_launched: agent process 999 started",
      "info  thread_opened: the agent goes on with its earlier thread",
      "warn  thread_opened: the agent began a new thread, the earlier one could not be resumed: no rollout found",
      "debug thread_opened: the agent began a new thread",
      "warn  thread_given_up: the thread is given up, and the next run begins a new one: it did not resume",
      "info  turn_started: turn 1 started",
      "info  turn_ended: turn 1 completed: All tests pass.",
      "info  turn_ended: turn 1 failed (stalled)",
      "info  turn_ended: turn 1 interrupted",
      "debug usage: the run has used 1,234,567 tokens (1,234,000 in, 1,100,000 of them cached, 567 out) so far",
      "debug rate_limits: provider's rate limits: primary={"usedPercent":12}",
      "info  command_ran: $ npm test (exit 0, 4.2 s)",
      "info  command_ran: $ make (exit 2): no rule",
      "info  command_ran: $ rm -rf / (declined)",
      "info  files_changed: changed 7 files: a.ts, b.ts, c.ts, d.ts, e.ts, and 2 more",
      "info  files_changed: failed: 0 files",
      "info  agent_said: agent: I will look at the tests.",
      "debug tool_started: linear_graphql: Comment (commentCreate) goes out",
      "info  tool_called: linear_graphql: Comment (180 ms)",
      "warn  tool_called: linear_graphql: viewer, team failed (1 ms): two operations",
      "info  request_answered: answered "accept" to execApproval: npm install",
      "warn  agent_retrying: the agent tries again by itself: stream disconnected (attempt 2 of 5)",
      "warn  agent_warned: the agent warns: config is deprecated",
      "debug item: webSearch completed: vitest snapshot",
      "warn  malformed: ignored a line from the agent that cannot be read: not JSON: {oops",
      "debug unknown_message: ignored a message of a kind that is not known here: thread/new/thing",
      "warn  warning: the log fails",
    ]
  `);
  expect(new Set(samples.map(({ type }) => type))).toEqual(new Set(factTypes));
});

test("a failure is told once, by the end of the run that it ended", () => {
  const why = failure("stalled", "The agent fell silent.");
  const telling: FactBody[] = [
    { type: "hook_ran", hook: "before_run", ok: false, tookMs: 1, output: "", error: why.message },
    { type: "turn_ended", turn: 1, status: "failed", failure: why, message: null },
    { type: "run_stopping", why: why.message },
  ];
  const told = telling.map((body) => describe({ ...body, at: instant(0) }));
  expect(told.filter(({ level, message }) => level !== "debug" && message.includes(why.message))).toEqual([]);
});

/** The same fact with every text in it replaced, at any depth. */
function withText(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((item) => withText(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fixed.has(key) ? item : withText(item, text)]),
  );
}

/** Any at all: controls, half surrogate pairs. */
const codeUnit = fc.nat({ max: 0xff_ff }).map((code) => String.fromCharCode(code));

/** What programs branch on is not text. */
const fixed: ReadonlySet<string> = new Set(["type", "kind", "outcome", "reason"]);

test("whatever texts a fact carries, it is described in one bounded line without control characters", () => {
  const evil = fc.oneof(
    fc.string({ unit: codeUnit, maxLength: 60 }),
    fc.constant("\u001b]0;title\u0007\u001b[2J\u001b[31mred\u009b5mx\r\nnext\u202eltr"),
    fc.constant("x".repeat(100_000)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...samples), evil, (sample, text) => {
      const { message } = describe(withText(sample, text) as Fact);
      expect(message.length).toBeLessThanOrEqual(MESSAGE_CHARS_MAX);
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u200b]/);
      expect(message.trim()).not.toBe("");
    }),
    { numRuns: 300, seed: 11 },
  );
});

test("only what needs a person is an error", () => {
  const errors = samples.filter((fact) => describe(fact).level === "error").map(({ type }) => type);
  expect(errors).toEqual(["workflow_rejected", "parked"]);
});

test("what went wrong is told whole, however long the advice after it", () => {
  const why =
    "codex.command did not begin: the login shell hangs, `bash -lc true` did not come back in 5000 ms.";
  const advice = "Look at what bash's login profile waits for. ".repeat(12);
  const held: FactBody = { type: "held", cause: "installation", why, until: null, remedy: advice };
  const over: FactBody = {
    type: "run_ended",
    ending: { outcome: "failed", failure: failure("port_exit", why, { hint: advice }) },
    turns: 0,
    tokens: noTokens,
    tookMs: 1,
  };
  for (const body of [held, over]) expect(describe({ ...body, at: instant(0) }).message).toContain(why);
});
