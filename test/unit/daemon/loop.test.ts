import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/daemon/clock.ts";
import { Loop, RETRY_MS, TOGETHER_MS, type LoopParts } from "../../../src/daemon/loop.ts";
import type { News, RunNews } from "../../../src/scheduler/events.ts";
import { turnId } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import type { Work } from "../../../src/scheduler/effects.ts";
import { W, madeIssue, madePolicy, summaryOf } from "../scheduler/made.ts";
import { THREAD, tokens } from "../scheduler/played.ts";
import { HandClock } from "./hand-clock.ts";

/** A loop whose doings are written into one list, in order. */
function watched(more: Partial<LoopParts> = {}) {
  const did: string[] = [];
  const works: Work[] = [];
  const clock = new HandClock();
  const loop = new Loop({
    state: initialState,
    clock,
    commit: (records, facts) =>
      did.push(`commit ${[...records, ...facts].map(({ type }) => type).join(" ")}`),
    publish: (fact) => did.push(`publish ${fact.type}`),
    tell: (fact) => did.push(`tell ${fact.type}`),
    run: (work) => {
      did.push(`run ${work.type}`);
      works.push(work);
    },
    onFatal: (error) => did.push(`fatal ${String(error)}`),
    ...more,
  });
  loop.dispatch({ type: "configured", policy: madePolicy() });
  loop.dispatch({ type: "began" });
  return { loop, did, works, clock };
}

const issue = madeIssue("A-1");

const startIt = (loop: Loop): void => {
  loop.dispatch({ type: "polled", workflow: W, candidates: [summaryOf(issue)], tookMs: 1 });
  loop.dispatch({ type: "revalidated", workflow: W, ids: [issue.id], issues: [issue] });
};

test("records and facts of a step are committed before anything is published or run", () => {
  const { loop, did } = watched();
  startIt(loop);
  expect(did.slice(-4)).toEqual([
    "commit tally claim run_started claimed scan_changed",
    "publish claimed",
    "publish scan_changed",
    "run start",
  ]);
});

test("a failed commit runs nothing, keeps the old state, and stops the loop for good", () => {
  const { loop, did } = watched({
    commit: (records) => {
      if (records.length > 0) throw new Error("disk full");
    },
  });
  const before = loop.state;
  startIt(loop);
  expect(did.slice(-1)).toEqual(["fatal Error: disk full"]);
  expect(loop.state.claims).toEqual(before.claims);
  loop.dispatch({ type: "stop_requested", why: "SIGTERM", force: false });
  expect(did.slice(-1)).toEqual(["fatal Error: disk full"]);
});

describe("while the ledger cannot be written for a reason that may pass", () => {
  /** A loop in front of a disk that is full from now on. */
  function onFullDisk() {
    const disk = { full: false };
    const heard: string[] = [];
    const all = watched({
      commit: (records, facts) => {
        if (disk.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
        all.did.push(`commit ${[...records, ...facts].map(({ type }) => type).join(" ")}`);
      },
      publish: (fact) => heard.push(fact.type === "warning" ? fact.message : fact.type),
    });
    disk.full = true;
    return { ...all, disk, heard };
  }

  test("nothing is begun on what the tracker said hours ago: it is asked again", () => {
    const { loop, did, disk, clock } = onFullDisk();
    startIt(loop);
    clock.pass(3 * 3_600_000);
    disk.full = false;
    const before = did.length;
    clock.pass(10_000);
    expect(did.slice(before)).not.toContain("run start");
    expect(did.slice(before).filter((line) => line === "run revalidate").length).toBeGreaterThan(0);
    expect(loop.state.claims.size).toBe(0);
  });

  test("nothing is begun, nothing is lost, and it goes on by itself", () => {
    const { loop, did, disk, clock } = onFullDisk();
    const before = did.length;
    startIt(loop);
    clock.pass(60_000);
    expect(did.slice(before)).toEqual([]);
    expect(loop.state.claims.size).toBe(0);
    disk.full = false;
    clock.pass(1_000);
    expect(did).toContain("commit tally claim run_started claimed scan_changed");
    expect(did.filter((line) => line === "run start")).toHaveLength(1);
    expect(loop.state.claims.size).toBe(1);
  });

  test("it is said once when it begins and once, for good, when it is over", () => {
    const { loop, disk, heard, did, clock } = onFullDisk();
    startIt(loop);
    clock.pass(60_000);
    expect(heard.filter((said) => said.includes("disk is full"))).toEqual([
      "nothing is begun until the ledger can be written: the disk is full. make room",
    ]);
    disk.full = false;
    clock.pass(1_000);
    expect(did.find((line) => line.startsWith("commit warning"))).toBeDefined();
    expect(heard.filter((said) => said.startsWith("the ledger can be written again; for 61 s"))).toHaveLength(
      1,
    );
    startIt(loop);
    expect(heard.filter((said) => said.includes("disk is full"))).toHaveLength(2);
  });

  test("steps that waited to be written are taken back, and decided anew by the time it is then", () => {
    const disk = { full: false };
    const commits: string[] = [];
    const times: number[] = [];
    const { loop, say, did, clock } = inRun({
      commit: (records, facts) => {
        if (disk.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
        for (const record of records) if (record.type === "turn_started") times.push(record.at);
        commits.push([...records, ...facts].map(({ type }) => type).join(" "));
      },
    });
    commits.length = 0;
    say(began);
    loop.tell({ type: "warning", message: "an item", at: clock.now() });
    disk.full = true;
    const heardAt = clock.now();
    clock.pass(TOGETHER_MS);
    // What is no step's does not wait for the ledger, which keeps it by itself.
    expect(did).toEqual(["tell warning", "publish warning"]);
    expect(loop.state.claims.get(issue.id)).toMatchObject({ turns: 0 });
    say(used(5));
    disk.full = false;
    clock.pass(RETRY_MS);
    expect(times).toEqual([heardAt + TOGETHER_MS + RETRY_MS]);
    clock.pass(TOGETHER_MS);
    expect(commits).toEqual(["turn_started warning turn_started", "usage usage"]);
    expect(did.slice(2)).toEqual(["publish warning", "publish turn_started", "publish usage"]);
  });

  test("news that came at once, while a step could not be written, are heard after it", () => {
    const disk = { full: false };
    const order: string[] = [];
    const { loop, clock } = watched({
      commit: (records) => {
        if (disk.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
        order.push(...records.map(({ type }) => type));
      },
      run: (work) => {
        if (work.type !== "start") return;
        const of = { runId: work.run.id, issueId: work.run.issueId };
        disk.full = true;
        loop.dispatch(launched(work));
        loop.dispatch({ ...of, type: "opened", threadId: THREAD, resumed: false, why: null });
      },
    });
    startIt(loop);
    order.length = 0;
    disk.full = false;
    clock.pass(RETRY_MS);
    expect(order).toEqual(["run_launched", "thread_opened"]);
  });

  test("what could not be written at the end is said to whoever ends the daemon", () => {
    const disk = { full: false };
    const { loop, say, did } = inRun({
      commit: () => {
        if (disk.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
      },
    });
    say(began);
    disk.full = true;
    expect(() => loop.close()).toThrow("the disk is full");
    expect(did).toEqual([]);
  });

  test("who asks to stop does not wait for the disk", () => {
    const { loop, did, clock } = onFullDisk();
    startIt(loop);
    loop.dispatch({ type: "stop_requested", why: "SIGTERM", force: false });
    clock.pass(2_000);
    expect(did.some((line) => line.startsWith("fatal"))).toBe(false);
    clock.pass(2_000);
    expect(did.slice(-1)).toEqual(["fatal LedgerError: the disk is full"]);
  });

  test("who asks to stop is waited for from then on, however long the disk has been full", () => {
    const { loop, did, disk, clock } = onFullDisk();
    startIt(loop);
    clock.pass(3_600_000);
    loop.dispatch({ type: "stop_requested", why: "SIGTERM", force: false });
    clock.pass(2_000);
    expect(did.some((line) => line.startsWith("fatal"))).toBe(false);
    disk.full = false;
    clock.pass(1_000);
    expect(did).toContain("run exit");
  });

  test("a stop that was written before the disk was full ends when its grace is over", () => {
    const { loop, did, disk, clock } = onFullDisk();
    disk.full = false;
    startIt(loop);
    loop.dispatch({ type: "stop_requested", why: "SIGTERM", force: false });
    disk.full = true;
    const [claim] = loop.state.claims.running.values();
    if (claim === undefined) throw new Error("nothing runs");
    const over = { type: "exited", failure: null, changed: null, fingerprint: null } as const;
    loop.dispatch({ ...over, runId: claim.run.id, issueId: issue.id });
    clock.pass(29_000);
    expect(did.some((line) => line.startsWith("fatal"))).toBe(false);
    clock.pass(5_000);
    expect(did.slice(-1)).toEqual(["fatal LedgerError: the disk is full"]);
  });

  test("the events that wait are bounded", () => {
    const { loop, did } = onFullDisk();
    startIt(loop);
    for (let n = 0; n <= 10_000; n += 1) loop.dispatch({ type: "woke" });
    expect(did.slice(-1)).toEqual(["fatal LedgerError: the disk is full"]);
  });
});

test("a broken invariant stops the loop before anything is committed", () => {
  const heard: string[] = [];
  const { loop, did } = watched({
    decide: (state, event) => {
      heard.push(event.type);
      return decide(state, event);
    },
    state: {
      ...initialState,
      // Parked, and nobody is told what to do about it: no event makes this, only a bug does.
      claims: Claims.of([
        {
          phase: "parked",
          workflow: W,
          issue,
          reason: "failing",
          why: "it failed",
          wayOut: "",
          since: new HandClock().now(),
        },
      ]),
    },
  });
  expect(did).toEqual([expect.stringContaining("fatal Error: invariant broken")]);
  // What a start begins with is looked at with its first step.
  expect(heard).toEqual(["configured"]);
  loop.dispatch({ type: "woke" });
  expect(did).toHaveLength(1);
});

const launched = ({ run }: Extract<Work, { type: "start" }>): News => ({
  type: "launched",
  runId: run.id,
  issueId: run.issueId,
  pid: 1,
  startTicks: 1,
  bootId: "boot-1",
  workspace: "/w",
});

/** A loop whose one run is about to have its first turn; what was done until then is forgotten. */
function inRun(more: Partial<LoopParts> = {}) {
  const all = watched(more);
  const { loop, works, did, clock } = all;
  startIt(loop);
  const start = works.find((work) => work.type === "start");
  if (start?.type !== "start") throw new Error("nothing was started");
  const of = { runId: start.run.id, issueId: issue.id };
  loop.dispatch(launched(start));
  loop.dispatch({ ...of, type: "opened", threadId: THREAD, resumed: false, why: null });
  did.length = 0;
  return {
    ...all,
    loop,
    clock,
    say: (news: ReportOf<"turn_started" | "usage" | "turn_ended">) => loop.dispatch({ ...of, ...news }),
  };
}

type ReportOf<T extends RunNews["type"]> = Extract<RunNews, { type: T }>;

const began = { type: "turn_started", turnId: turnId("u-1") } as const;
const used = (total: number) => ({ type: "usage", threadId: THREAD, total: tokens(total) }) as const;
const ended = {
  type: "turn_ended",
  turnId: turnId("u-1"),
  status: "completed",
  failure: null,
  message: null,
} as const;

test("a day of a full disk with agents that report their tokens does not end the daemon", () => {
  const disk = { full: false };
  const { say, did, loop, clock } = inRun({
    commit: () => {
      if (disk.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
    },
  });
  disk.full = true;
  say(began);
  clock.pass(1_000);
  for (let total = 1; total <= 12_000; total++) say(used(total));
  expect(did.filter((line) => line.startsWith("fatal"))).toEqual([]);
  disk.full = false;
  clock.pass(1_000);
  expect(loop.state.claims.get(issue.id)).toMatchObject({ turns: 1, tokens: { total: 12_000 } });
});

describe("a step that sets nothing going and that nobody waits for", () => {
  test("is written with the next one that does, in order, and is told and known of only then", () => {
    const { say, did, loop } = inRun();
    say(began);
    say(used(5));
    expect(did).toEqual([]);
    expect(loop.state.claims.get(issue.id)).toMatchObject({ turns: 1, tokens: { total: 5 } });
    say(ended);
    expect(did).toEqual([
      "commit turn_started usage turn_ended turn_started usage turn_ended",
      "publish turn_started",
      "publish usage",
      "publish turn_ended",
      "run check",
    ]);
  });

  test("waits no longer than 20 ms", () => {
    const { say, did, clock } = inRun();
    say(began);
    clock.pass(10);
    say(used(5));
    clock.pass(9);
    expect(did).toEqual([]);
    clock.pass(1);
    expect(did[0]).toBe("commit turn_started usage turn_started usage");
    clock.pass(TOGETHER_MS);
    expect(did.filter((line) => line.startsWith("commit"))).toHaveLength(1);
  });

  test("is written without anything being decided for it", () => {
    const decided: string[] = [];
    const { say, did, clock } = inRun({
      decide: (state, event) => {
        decided.push(event.type);
        return decide(state, event);
      },
    });
    say(began);
    decided.length = 0;
    clock.pass(TOGETHER_MS);
    expect(did).not.toEqual([]);
    expect(decided).toEqual([]);
  });

  test("does not keep a deadline from being met", () => {
    const { say, did, clock } = inRun();
    clock.pass(30_000 - 10);
    say(began);
    clock.pass(10);
    expect(did).toEqual(["commit turn_started turn_started", "publish turn_started", "run poll"]);
  });

  test("does not wait in a flood", () => {
    const { say, did } = inRun();
    say(began);
    for (let total = 1; total < 200; total += 1) say(used(total));
    expect(did.filter((line) => line.startsWith("commit"))).toHaveLength(1);
  });

  test("is told before what was told after it", () => {
    const { say, did, loop, clock } = inRun();
    const item = { type: "warning", message: "an item", at: clock.now() } as const;
    loop.tell(item);
    say(began);
    loop.tell(item);
    clock.pass(TOGETHER_MS);
    loop.tell(item);
    expect(did).toEqual([
      "tell warning",
      "commit turn_started turn_started warning",
      "publish turn_started",
      "publish warning",
      "tell warning",
    ]);
  });

  test("is written when the daemon is closed, and has not happened when it is given up", () => {
    const closed = inRun();
    closed.say(began);
    closed.loop.close();
    expect(closed.did).toEqual(["commit turn_started turn_started", "publish turn_started"]);
    const gone = inRun();
    gone.say(began);
    gone.loop.abandon();
    gone.clock.pass(TOGETHER_MS);
    expect(gone.did).toEqual([]);
  });

  test("has not happened when the next one is the end; what was told is told all the same", () => {
    const { say, did, loop } = inRun({
      decide: (state, event) => {
        if (event.type === "turn_ended") throw new Error("a bug");
        return decide(state, event);
      },
    });
    say(began);
    loop.tell({ type: "warning", message: "what explains it", at: instant(1) });
    say(ended);
    loop.close();
    expect(did).toEqual(["tell warning", "fatal Error: a bug"]);
  });
});

test("an order is answered when it has been handed over, whatever it sets going", () => {
  const { loop, did } = inRun();
  const order = { type: "release", issue: "X-1", addRuns: 0, addTokens: 0 } as const;
  loop.dispatch({ type: "ordered", number: 1, order });
  expect(did).toEqual(["commit order_done"]);
});

test("an agent's process is on disk when its launch has been heard", () => {
  const { loop, works, did } = watched();
  startIt(loop);
  const [start] = works.filter((work) => work.type === "start");
  if (start === undefined) throw new Error("nothing was started");
  did.length = 0;
  loop.dispatch(launched(start));
  expect(did).toEqual(["commit run_launched agent_launched", "publish agent_launched"]);
});

test("a daemon that is closed within a step takes no further one", () => {
  const committed: string[] = [];
  const { loop } = watched({
    commit: (records) => committed.push(...records.map(({ type }) => type)),
    run: (work) => {
      if (work.type !== "start") return;
      loop.dispatch(launched(work));
      loop.close();
    },
  });
  startIt(loop);
  expect(committed).toEqual(["tally", "claim", "run_started"]);
});

test("an effect that answers at once is heard after the step that asked for it", () => {
  const order: string[] = [];
  const { loop } = watched({
    commit: (records) => order.push(...records.map(({ type }) => type)),
    run: (work) => {
      if (work.type !== "start") return;
      loop.dispatch(launched(work));
      order.push("start returned");
    },
  });
  startIt(loop);
  expect(order).toEqual(["tally", "claim", "run_started", "start returned", "run_launched"]);
});

test("a deadline that passes while a step is written down is not missed", () => {
  const time = { now: 1_700_000_000_000, ringAt: null as number | null };
  const clock: Clock = {
    now: () => instant(time.now),
    alarm: () => ({ ringAt: (at) => void (time.ringAt = at) }),
  };
  const { loop } = watched({
    clock,
    // A slow disk: longer than the time until the next poll.
    commit: () => void (time.now += 40_000),
  });
  const asked = time.now;
  loop.dispatch({ type: "polled", workflow: W, candidates: [summaryOf(issue)], tookMs: 1 });
  expect(time.ringAt).not.toBeNull();
  expect(time.ringAt).toBeLessThanOrEqual(asked + 30_000);
});

test("the alarm rings at the next deadline and the scheduler acts on it", () => {
  const { clock, did, loop } = watched();
  loop.dispatch({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
  const before = did.filter((line) => line === "run poll").length;
  clock.pass(30_000);
  expect(did.filter((line) => line === "run poll").length).toBe(before + 1);
});
