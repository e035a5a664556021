import { madeHold } from "../scheduler/made.ts";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { describe, expect, it } from "vitest";
import type { Fact } from "../../../src/domain/fact.ts";
import { runId, workflowName } from "../../../src/domain/run.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import type { Status } from "../../../src/cli/status.ts";
import { healthOf } from "../../../src/cli/health.ts";
import { statusText, statusView } from "../../../src/cli/status-view.ts";
import type { Beat } from "../../../src/ledger/heartbeat.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { ago, now, writeHistory } from "./history.ts";

const look = { now, columns: 100, paint: unpainted };

function status(more: Partial<Status> = {}): Status {
  const ledger = new MemoryLedger();
  writeHistory(ledger);
  return {
    ledger: "/srv/ledger.db",
    writtenAt: ago(1),
    health: { state: "down", reasons: ["No daemon is running."] },
    holder: null,
    heartbeat: null,
    orders: [],
    saved: ledger.load(),
    lately: [],
    ended: null,
    ...more,
  };
}

const serves = { health: { state: "serving", reasons: [] } } as const;
const holder = { pid: 4242, since: new Date(ago(90)).toISOString(), workflows: ["/srv/WORKFLOW.md"] };
const beat = (more: Partial<Beat> = {}): Beat => ({
  pid: 4242,
  phase: "serving",
  stuck: null,
  workflows: [
    {
      name: "implement",
      path: "/srv/WORKFLOW.md",
      pollIntervalMs: 30_000,
      scannedAt: ago(2),
      scanError: null,
      broken: null,
      diskLow: null,
      unanswered: null,
      limited: false,
      counts: {
        open: { count: 12, isAll: true },
        listed: 3,
        running: 0,
        waiting: 0,
        parked: 0,
        blocked: 1,
        ready: 0,
        gate: null,
      },
    },
  ],
  ...more,
});
const warned = (message: string, minutes: number): Fact => ({ type: "warning", message, at: ago(minutes) });
const rows = (...facts: readonly Fact[]): Status["lately"] =>
  facts.map((fact) => ({ at: fact.at, runId: null, fact }));

describe("baton status", () => {
  it("says first whether a daemon runs, which, and since when", () => {
    expect(statusText(status(), look)).toMatch(/^No daemon is running\. Cut short: 1 run/);
    expect(statusText(status({ ...serves, holder }), look)).toMatch(
      /^Serving since .+ \(1 h ago\), pid 4242, with \/srv\/WORKFLOW\.md/,
    );
    expect(statusText(status(serves), look)).toMatch(/^A daemon is starting\./);
  });

  it("shows why each parked ticket is parked and what lifts it", () => {
    const text = statusText(status(), look);
    expect(text).toContain("1 ticket parked");
    expect(text).toMatch(
      /MT-14 .+\n +parked \(failing\) since .+: 10 runs in a row failed\.\n +to release it: Move/,
    );
  });

  it("says as long as it holds that approvals are asked for and nobody is there", () => {
    const [workflow] = beat().workflows;
    if (workflow === undefined) throw new Error("a beat has a workflow");
    const told = beat({ workflows: [{ ...workflow, unanswered: "This version can ask nobody." }] });
    const text = statusText(status({ ...serves, holder, heartbeat: { at: ago(0), beat: told } }), look);
    expect(text).toContain("implement: This version can ask nobody.");
    const none = statusText(status({ ...serves, holder, heartbeat: { at: ago(0), beat: beat() } }), look);
    expect(none).not.toContain("ask nobody");
  });

  it("shows pauses and holds with their reason, their end, and how to end them", () => {
    const { saved } = status();
    const workflow = workflowName("implement");
    const pauses = new Map([[EVERYTHING, { why: "release night", since: ago(30), until: null }]] as const);
    const holds = new Map([
      [workflow, madeHold({ why: "usage limit", until: ago(-60), refusals: 0, trial: null })],
    ]);
    const text = statusText(status({ saved: { ...saved, pauses, holds } }), look);
    expect(text).toMatch(/paused: everything, since .+ \(release night\); baton resume ends it/);
    expect(text).toMatch(/held: implement until .+ \(in 1 h\), then one run tries: usage limit/);
    const one = new Map([[workflow, { why: "", since: ago(30), until: ago(-60) }]]);
    expect(statusText(status({ saved: { ...saved, pauses: one } }), { ...look, columns: 200 })).toContain(
      "baton resume --workflow implement ends it",
    );
  });

  it("tells workflows that are held alike in one, once, and what a due ticket of theirs waits for", () => {
    const { saved } = status();
    const held = { why: "The model said 503", remedy: "Nothing has to be done", until: ago(2), trial: null };
    const names = [workflowName("implement"), workflowName("fix")] as const;
    const [tried, due] = names;
    const holds = new Map([
      [tried, madeHold({ ...held, trial: runId("r9") })],
      [due, madeHold(held)],
    ]);
    const claims = saved.claims.map((claim) =>
      claim.phase === "waiting" ? { ...claim, retryAt: ago(1) } : claim,
    );
    const of = { holder, heartbeat: { at: now, beat: beat() } };
    const health = healthOf({ ...of, held: true, holds }, now);
    const text = statusText(status({ ...of, health, saved: { ...saved, holds, claims } }), {
      ...look,
      columns: 300,
    });
    expect(text.match(/The model said 503/g)).toHaveLength(1);
    expect(text).toMatch(
      /held: implement while run r9 tries whether it is over; fix until a run that tries comes through; one is due since 2 min ago: The model said 503\. What to do: Nothing has to be done\.\n/,
    );
    expect(text).toMatch(/MT-15 +retry 1 +held +The agent said nothing/);
  });

  it("says of a workflow and of its due tickets why nothing starts just now", () => {
    const { saved } = status();
    const [workflow] = beat().workflows;
    if (workflow === undefined) throw new Error("a beat has a workflow");
    const gate = "today's 100 tokens are used up (limits.max_tokens_per_day)";
    const claims = saved.claims.map((claim) =>
      claim.phase === "waiting" ? { ...claim, retryAt: ago(1) } : claim,
    );
    const shut = beat({ workflows: [{ ...workflow, gate }] });
    const of = { ...serves, holder, saved: { ...saved, claims } };
    const text = statusText(status({ ...of, heartbeat: { at: now, beat: shut } }), { ...look, columns: 200 });
    expect(text).toContain(`implement starts nothing new just now: ${gate}`);
    expect(text).toMatch(/MT-15 +retry 1 +held back +today's 100 tokens are used up/);
    const open = statusText(status({ ...of, heartbeat: { at: now, beat: beat() } }), look);
    expect(open).toMatch(/MT-15 +retry 1 +now +The agent said nothing/);
  });

  it("shows what is running and what waits, the next one first", () => {
    const text = statusText(status(serves), look);
    expect(text).toMatch(/1 running\nISSUE .+\nMT-12 +r6 +turn 1 +4m00s +0 +4321 +Log-in page/);
    // What a daemon that is gone had running is not running.
    expect(statusText(status(), look)).not.toContain("running\n");
    expect(text).toMatch(/1 waiting\nISSUE .+\nMT-15 +retry 1 +in \d+ s +The agent said nothing/);
  });

  it("counts the same warning once, the latest first, and leaves out what is no trouble", () => {
    const lately = rows(
      warned("the disk is nearly full", 30),
      warned("no answer", 20),
      { type: "disk_ok", at: ago(10) },
      warned("no answer", 5),
    );
    const text = statusText(status({ lately }), look);
    expect(text).toMatch(/2 times, last 5 min ago: no answer\n +30 min ago: the disk is nearly full$/);
  });

  it("tells what runs before what is parked", () => {
    const text = statusText(status(serves), look);
    expect(text.indexOf("1 running")).toBeLessThan(text.indexOf("1 ticket parked"));
  });

  it("says why it is degraded, when it last scanned and what came of it, and when it last wrote", () => {
    const heartbeat = { at: now, beat: beat() };
    const health = { state: "degraded", reasons: ["Workflow implement starts nothing new: full"] } as const;
    const text = statusText(status({ health, holder, heartbeat }), look);
    expect(text).toContain("\n  Workflow implement starts nothing new: full\n");
    expect(text).toContain("implement scanned 2 min ago: 12 open, 3 labelled, 1 blocked");
    expect(text).toContain("ledger /srv/ledger.db, last written 1 min ago");
  });

  it("says no time of a last write while nothing can be written: tries touch the file as well", () => {
    const heartbeat = { at: now, beat: beat({ stuck: "the disk is full" }) };
    const full = status({ ...serves, holder, heartbeat });
    expect(statusText(full, look)).not.toContain("last written");
    expect(statusView(full, now)).toMatchObject({ last_written_at: null });
  });

  it("says of a workflow that is scanned less often than it wishes how often that is, and why", () => {
    const [workflow] = beat().workflows;
    if (workflow === undefined) throw new Error("a beat has a workflow");
    const paced = { wishedMs: 30_000, why: "Linear allows 250000 points an hour" };
    const told = beat({ workflows: [{ ...workflow, pollIntervalMs: 270_000, paced }] });
    const wide = { ...look, columns: 200 };
    const text = statusText(status({ ...serves, holder, heartbeat: { at: now, beat: told } }), wide);
    expect(text).toContain(
      "implement scanned 2 min ago: 12 open, 3 labelled, 1 blocked; scans every 4m30s instead of 30s: Linear allows 250000 points an hour",
    );
    const usual = statusText(status({ ...serves, holder, heartbeat: { at: now, beat: beat() } }), wide);
    expect(usual).not.toContain("scans every");
  });

  it("shows a drain, and orders that nobody has obeyed yet", () => {
    const draining = { at: now, beat: beat({ phase: "draining" }) };
    expect(statusText(status({ ...serves, holder, heartbeat: draining }), look)).toMatch(
      /^Draining \(no new work is taken; it ends with its last run\), serving since/,
    );
    const orders = [
      { id: 7, order: { type: "pause", scope: EVERYTHING, why: "freeze", until: null } },
      { id: 8, order: { type: "release", issue: "MT-1", addRuns: 0, addTokens: 0 } },
    ] as const;
    expect(statusText(status({ orders }), look)).toContain(
      "order 7, obeyed when a daemon starts: pause everything (freeze)\norder 8, obeyed when a daemon starts: release MT-1",
    );
  });

  it("tells a daemon that is stopped from one that is gone: its runs are still there", () => {
    const health = { state: "down", reasons: ["The daemon gives no sign of life."] } as const;
    const text = statusText(status({ health, holder }), look);
    expect(text).toMatch(/^The daemon gives no sign of life\./);
    expect(text).toContain("1 running");
    expect(statusView(status({ health, holder }), now)).toMatchObject({
      health: { state: "down" },
      daemon: { pid: 4242 },
    });
  });

  it("has the same as JSON", () => {
    const view = statusView(status({ ...serves, holder, lately: rows(warned("x", 1)) }), now);
    expect(view).toMatchObject({
      daemon: { pid: 4242 },
      warnings: [{ level: "warn", message: "x", count: 1 }],
    });
    expect(view.issues.map(({ identifier, claim }) => [identifier, claim.phase])).toEqual([
      ["MT-12", "running"],
      ["MT-15", "waiting"],
      ["MT-14", "parked"],
    ]);
    expect(statusView(status(), now).daemon).toBeNull();
  });
});

describe("after the end of a daemon", () => {
  const failed: Fact = {
    type: "poll_failed",
    kind: "tracker_status",
    error: "Linear refused the API key",
    retryAt: null,
    workflow: workflowName("main"),
    at: ago(20),
  };
  const ended: Status["ended"] = {
    how: "stopped",
    why: "SIGTERM",
    at: ago(8),
    since: ago(90),
    scans: new Map([["main", { at: ago(9), everyMs: 30_000 }]]),
  };

  it("says how it ended, and what had gone right before that stays right", () => {
    const text = statusText(status({ ended, lately: rows(failed) }), look);
    expect(text).toMatch(
      /^No daemon is running\. The last one was stopped \(SIGTERM\) 8 min ago\. Cut short/,
    );
    expect(text).not.toContain("refused the API key");
    expect(statusView(status({ ended }), now)).toMatchObject({
      last_end: { how: "stopped", why: "SIGTERM", at: expect.any(String) as string },
    });
  });

  it("still tells what was wrong when it ended, and nothing of the lives before", () => {
    const late = rows({ ...failed, at: ago(8.5) }, warned("it fell", 100), warned("it burns", 30));
    const text = statusText(status({ ended, lately: late }), look);
    expect(text).toContain("refused the API key");
    expect(text).toContain("it burns");
    expect(text).not.toContain("it fell");
  });
});
