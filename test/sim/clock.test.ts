/** Which deadlines go by which clock: what is said of it in docs/RELIABILITY.md, tried in virtual time. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { realClock } from "../../src/daemon/clock.ts";
import { Loop } from "../../src/daemon/loop.ts";
import { recover } from "../../src/daemon/recover.ts";
import { failure } from "../../src/domain/failure.ts";
import { after } from "../../src/domain/time.ts";
import { MemoryLedger } from "../../src/ledger/memory.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { News } from "../../src/scheduler/events.ts";
import { W, madeIssue, madePolicy, summaryOf } from "../unit/scheduler/made.ts";
import { DAY_MS, HOUR_MS, Timeline } from "./timeline.ts";

const MINUTE_MS = 60_000;
const ISSUE = madeIssue("A-1");
const POLICY = madePolicy({ backoffMaxMs: 5 * MINUTE_MS, pollIntervalMs: DAY_MS });

/** A daemon without a world: what it asks for is written down, what it hears is said by the test. */
class Life {
  readonly #timeline: Timeline;
  readonly #loop: Loop;
  /** What it asked for, and after how much time awake. */
  readonly asked: (readonly [Work["type"], number])[] = [];

  constructor(timeline: Timeline, ledger: MemoryLedger) {
    this.#timeline = timeline;
    const clock = timeline.clock();
    const { state, records } = recover(ledger.load(), clock.now());
    ledger.commit(records, []);
    this.#loop = new Loop({
      state,
      clock,
      commit: (entries, facts) => ledger.commit(entries, facts),
      publish: () => {},
      tell: () => {},
      run: ({ type }) => void this.asked.push([type, timeline.at]),
      onFatal: (error) => {
        throw error;
      },
    });
    this.say({ type: "configured", policy: POLICY });
    this.say({ type: "began" });
  }

  say(news: News): void {
    this.#loop.dispatch(news);
  }

  /** What was decided last is on disk, however the process ends. */
  write(): void {
    this.#loop.flush();
  }

  /** Lets time pass; what the alarm was set for happens. */
  pass(ms: number): void {
    const until = this.#timeline.at + ms;
    while (this.#timeline.step(until));
  }

  /** When, in time awake, the issue was asked about last. */
  get lookedAt(): number | undefined {
    return this.asked.findLast(([type]) => type === "revalidate")?.[1];
  }

  offer(): void {
    this.say({ type: "polled", workflow: W, candidates: [summaryOf(ISSUE)], tookMs: 1 });
    this.say({ type: "revalidated", workflow: W, ids: [ISSUE.id], issues: [ISSUE] });
  }

  exit(why: Parameters<typeof failure>): void {
    const claim = this.#loop.state.claims.get(ISSUE.id);
    if (claim?.phase !== "running") throw new Error("it does not run");
    this.say({
      type: "exited",
      runId: claim.run.id,
      issueId: ISSUE.id,
      failure: failure(...why),
      changed: null,
    });
  }
}

/** A life in which the issue's run has just failed: it is tried again in 10 s. */
function inBackoff(): { timeline: Timeline; ledger: MemoryLedger; life: Life } {
  const timeline = new Timeline();
  const ledger = new MemoryLedger();
  const life = new Life(timeline, ledger);
  life.offer();
  life.exit(["port_exit", "it died"]);
  life.write();
  return { timeline, ledger, life };
}

afterEach(() => void vi.useRealTimers());

describe("while it runs", () => {
  test.each([DAY_MS, -DAY_MS, HOUR_MS, -HOUR_MS])("a wall clock set by %i ms moves no deadline", (ms) => {
    const { timeline, life } = inBackoff();
    timeline.wrongBy = ms;
    life.pass(MINUTE_MS);
    expect(life.lookedAt).toBe(10_000);
  });

  test("the time that the machine sleeps does not count: waits last as long as it is awake", () => {
    const { timeline, life } = inBackoff();
    life.pass(4_000);
    timeline.sleep(10 * HOUR_MS);
    life.pass(5_999);
    expect(life.lookedAt).toBe(0);
    life.pass(1);
    expect(life.lookedAt).toBe(10_000);
  });

  test("the daemon's own clock does not follow the system's when that is set", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const clock = realClock();
    const before = clock.now();
    vi.setSystemTime(Date.now() + DAY_MS);
    expect(clock.now() - before).toBeLessThan(MINUTE_MS);
  });
});

describe("across a restart", () => {
  test("a wait that passed meanwhile, or that the clock has jumped over, is due at once", () => {
    for (const jump of ["wait", "clock"]) {
      const { timeline, ledger } = inBackoff();
      if (jump === "wait") timeline.sleep(HOUR_MS);
      else timeline.wrongBy = DAY_MS;
      expect(new Life(timeline, ledger).lookedAt).toBe(0);
    }
  });

  test("a wait lasts, after the clock was set back, no longer than the longest that there is", () => {
    const { timeline, ledger } = inBackoff();
    timeline.wrongBy = -DAY_MS;
    const life = new Life(timeline, ledger);
    life.pass(HOUR_MS);
    expect(life.lookedAt).toBe(POLICY.backoffMaxMs);
  });

  test("a time that the provider told is a time of the wall: the clock decides when it has come", () => {
    for (const [wrongBy, at] of [
      [0, 2 * HOUR_MS],
      [HOUR_MS, HOUR_MS],
      [-HOUR_MS, 3 * HOUR_MS],
    ] as const) {
      const timeline = new Timeline();
      const ledger = new MemoryLedger();
      const first = new Life(timeline, ledger);
      first.offer();
      first.exit(["usage_limit", "no more", { resetsAt: timeline.true + 2 * HOUR_MS }]);
      first.write();
      timeline.wrongBy = wrongBy;
      const life = new Life(timeline, ledger);
      life.pass(DAY_MS / 2);
      expect(life.lookedAt).toBe(at);
    }
  });

  test("a pause ends at the time of the wall that was named", () => {
    const { timeline, ledger, life } = inBackoff();
    const until = after(timeline.true, 2 * HOUR_MS);
    const order = { type: "pause", scope: W, why: "freeze", until } as const;
    life.say({ type: "ordered", number: 1, order });
    timeline.wrongBy = HOUR_MS;
    const next = new Life(timeline, ledger);
    next.pass(DAY_MS / 2);
    expect(next.lookedAt).toBe(HOUR_MS);
  });
});
