/**
 * What goes wrong around a run: each trouble has its own name, the run ends or goes on as it should, the issue is retried,
 * and nothing is lost. The agent is a small program of ours that does what the ticket's description says.
 */
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DaemonRig, of, type WorkflowText } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await rig.close();
});

const ticket = (description: string) =>
  rig.board.store.add({ title: "Trouble", description, labels: ["baton"], state: "Todo" }).identifier;

/** Runs a ticket once, under a workflow, and answers how the run ended. */
async function endOf(description: string, workflow: WorkflowText = {}) {
  rig.write({ command: light, prompt: "{{ issue.description }}", maxTurns: 1, ...workflow });
  const name = ticket(description);
  const daemon = await rig.start();
  await daemon.said("run_ended", of(name));
  await daemon.said("retry_scheduled", of(name));
  expect(await daemon.stop()).toBe(0);
  const [run] = rig.ledger((ledger) => ledger.runs({ issue: name, limit: 1 }));
  const claim = rig.ledger((ledger) => ledger.issue(name))?.claim;
  return {
    outcome: run?.ending?.outcome,
    kind: run?.ending?.failure?.kind,
    failure: run?.ending?.failure,
    claim,
  };
}

const troubles: readonly (readonly [string, string, WorkflowText, string, string])[] = [
  ["an agent that exits in the middle of a turn", "exit:3", {}, "failed", "port_exit"],
  [
    "an agent that exits before it says anything",
    "say:x",
    { command: `${light} exit=7` },
    "failed",
    "port_exit",
  ],
  [
    "an agent that never answers",
    "say:x",
    { command: `${light} silent`, readTimeoutMs: 300 },
    "failed",
    "response_timeout",
  ],
  ["an agent that goes silent", "hold", { codex: "stall_timeout_ms: 300" }, "stalled", "stalled"],
  [
    "a turn that takes too long",
    "open:command\nhold",
    { codex: "turn_timeout_ms: 300" },
    "timed_out",
    "turn_timeout",
  ],
  [
    "an agent that talks rubbish without end",
    "say:x",
    { command: `${light} chatter=200 silent` },
    "failed",
    "protocol_violation",
  ],
  ["a provider that is down", 'fail:"serverOverloaded"', {}, "failed", "provider_overloaded"],
  ["a provider that takes no work", 'fail:"usageLimitExceeded"', {}, "failed", "usage_limit"],
  ["a context that is full", 'fail:"contextWindowExceeded"', {}, "failed", "context_window_exceeded"],
  ["a prompt that codex finds too long", "too-large", {}, "failed", "input_too_large"],
  [
    "a template that fails for this issue",
    "say:x",
    { prompt: "{% if issue.description == 'say:x' %}{{ issue.nonsense }}{% endif %}" },
    "failed",
    "template_render_error",
  ],
  ["a hook that fails", "say:x", { afterCreate: "echo no such branch >&2\nexit 4" }, "failed", "hook_failed"],
  ["a hook that hangs", "say:x", { afterCreate: "sleep 60", hookTimeoutMs: 300 }, "failed", "hook_timeout"],
];

test.each(troubles)("%s", async (_what, description, workflow, outcome, kind) => {
  const end = await endOf(description, workflow);
  expect([end.outcome, end.kind]).toEqual([outcome, kind]);
  expect(end.failure?.message).not.toBe("");
  expect(end.claim).toMatchObject({ phase: "waiting" });
});

test("what a failed hook or agent said last is kept with the run, and shown", async () => {
  const hook = await endOf("say:x", { afterCreate: "echo no such branch >&2\nexit 4" });
  expect(hook.failure?.detail).toContain("no such branch");
});

test("lines that are no messages and floods of them do not end a run that goes on", async () => {
  rig.write({ command: `${light} chatter=20 noise`, prompt: "{{ issue.description }}", maxTurns: 1 });
  const name = ticket("raw:not json\ndeltas:20000\nlong:2000000\nsay:still here");
  const daemon = await rig.start();
  await daemon.said(
    "turn_ended",
    of(name, (line) => line["status"] === "completed"),
  );
  expect(daemon.lines.filter(of(name, (line) => line["fact"] === "malformed")).length).toBeGreaterThan(20);
  await daemon.stop();
});

const outages = [
  ["refuses the key", { type: "answer", status: 401, body: { errors: [{ message: "no" }] } }],
  ["answers 500", { type: "answer", status: 500, body: "oops" }],
  ["answers with a web page", { type: "answer", status: 200, body: "<html>maintenance</html>" }],
  ["answers half a page", { type: "answer", status: 200, body: '{"data":{"issues":{"nodes":[' }],
  ["hangs up", { type: "cut" }],
] as const;

test.each(outages)(
  "a tracker that %s stops no run, and is asked again until it answers",
  async (_what, fault) => {
    rig.write({ command: light, prompt: "{{ issue.description }}", maxTurns: 1 });
    const name = ticket("hold");
    const daemon = await rig.start();
    await daemon.said("turn_started", of(name));
    rig.board.fail(6, fault);
    await daemon.said("poll_failed");
    const second = ticket("hold");
    await daemon.said("turn_started", of(second));
    expect(daemon.lines.some(of(name, (line) => line["fact"] === "run_ended"))).toBe(false);
    await daemon.stop();
  },
);

test("a tracker whose rate limit is used up stops no run, is left alone until it ends, and then asked again", async () => {
  rig.write({ command: light, prompt: "{{ issue.description }}", maxTurns: 1 });
  const name = ticket("hold");
  const daemon = await rig.start();
  await daemon.said("turn_started", of(name));
  rig.board.fail(1, { type: "ratelimited", resetAt: new Date(Date.now() + 1_500) });
  await daemon.said("poll_failed");
  const asked = rig.board.requests();
  const second = ticket("hold");
  await daemon.said("turn_started", of(second));
  expect(daemon.lines.some(of(name, (line) => line["fact"] === "run_ended"))).toBe(false);
  expect(rig.board.requests()).toBeGreaterThan(asked);
  expect(daemon.lines.filter((line) => line["fact"] === "poll_failed")).toHaveLength(1);
  await daemon.stop();
});

test("an agent that ends its turns well and changes nothing is parked, with the reason and the way out", async () => {
  rig.write({
    command: light,
    prompt: "{{ issue.description }}",
    maxTurns: 1,
    extra: "limits: {max_idle_runs: 2}",
  });
  const name = ticket("say:all is well");
  const daemon = await rig.start();
  await daemon.said("parked", of(name));
  expect(await daemon.stop()).toBe(0);
  const claim = rig.ledger((ledger) => ledger.issue(name))?.claim;
  expect(claim).toMatchObject({
    phase: "parked",
    reason: "no_progress",
    wayOut: expect.stringContaining(`baton release ${name}`),
  });
  expect(rig.ledger((ledger) => ledger.runs({ issue: name, limit: 9 }))).toHaveLength(2);
});
