import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/daemon/clock.ts";
import { Loop, type LoopParts, type News } from "../../../src/daemon/loop.ts";
import { LedgerError } from "../../../src/ledger/port.ts";
import { instant } from "../../../src/domain/time.ts";
import { initialState } from "../../../src/scheduler/decide.ts";
import type { Work } from "../../../src/scheduler/effects.ts";
import { W, madeIssue, madePolicy, summaryOf } from "../scheduler/made.ts";
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
  expect(did.slice(-3)).toEqual(["commit tally claim run_started claimed", "publish claimed", "run start"]);
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

  test("nothing is begun, nothing is lost, and it goes on by itself", () => {
    const { loop, did, disk, clock } = onFullDisk();
    const before = did.length;
    startIt(loop);
    clock.pass(60_000);
    expect(did.slice(before)).toEqual([]);
    expect(loop.state.claims.size).toBe(0);
    disk.full = false;
    clock.pass(1_000);
    expect(did).toContain("commit tally claim run_started claimed");
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

  test("who asks to stop does not wait for the disk", () => {
    const { loop, did, clock } = onFullDisk();
    startIt(loop);
    loop.dispatch({ type: "stop_requested", why: "SIGTERM", force: false });
    clock.pass(2_000);
    expect(did.some((line) => line.startsWith("fatal"))).toBe(false);
    clock.pass(2_000);
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
  const { loop, did } = watched({
    state: {
      ...initialState,
      // A claim filed under another issue: no event makes this, only a bug does.
      claims: new Map([
        [
          madeIssue("B-1").id,
          {
            phase: "waiting",
            workflow: W,
            issue,
            retryAt: new HandClock().now(),
            attempt: 1,
            kind: "retry",
            why: "x",
            failure: null,
          },
        ],
      ]),
    },
  });
  expect(did).toEqual([expect.stringContaining("fatal Error: invariant broken")]);
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
