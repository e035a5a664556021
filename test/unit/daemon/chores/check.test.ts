import { describe, expect, test } from "vitest";
import { checkIssue } from "../../../../src/daemon/chores/check.ts";
import { after } from "../../../../src/domain/time.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";
import { madeIssue } from "../../scheduler/made.ts";
import { HandClock } from "../hand-clock.ts";

const MINUTE = 60_000;

/** A look at an issue whose tracker fails with this, given up by the test after its first try. */
async function firstTry(trouble: (clock: HandClock) => Error): Promise<"it waits" | "it ends"> {
  const clock = new HandClock();
  const abort = new AbortController();
  let tries = 0;
  const ask = async (): Promise<never> => {
    tries++;
    throw trouble(clock);
  };
  const look = checkIssue(ask, clock, abort.signal);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  abort.abort();
  expect(await look).toMatchObject({ type: "check_failed", failure: { kind: "tracker_error" } });
  return tries === 1 ? "it ends" : "it waits";
}

const limited =
  (ms: number) =>
  (clock: HandClock): Error =>
    new TrackerError("tracker_rate_limited", "used up.", { retryAt: after(clock.now(), ms) });

describe("a look between two turns that fails", () => {
  test("waits for the end of a rate limit, up to Linear's hour", async () => {
    expect(await firstTry(limited(4 * MINUTE))).toBe("it waits");
    expect(await firstTry(limited(60 * MINUTE))).toBe("it waits");
    expect(await firstTry(limited(70 * MINUTE))).toBe("it ends");
  });

  test("waits five minutes for a tracker that is down", async () => {
    const down = (ms: number) => (clock: HandClock) =>
      new TrackerError("tracker_status", "down.", { status: 503, retryAt: after(clock.now(), ms) });
    expect(await firstTry(down(4 * MINUTE))).toBe("it waits");
    expect(await firstTry(down(6 * MINUTE))).toBe("it ends");
  });

  test("ends at once where waiting changes nothing", async () => {
    expect(await firstTry(() => new TrackerError("tracker_status", "refused.", { status: 401 }))).toBe(
      "it ends",
    );
    expect(await firstTry(() => new Error("a bug"))).toBe("it ends");
  });
});

describe("a look between two turns that does not find the issue", () => {
  const issue = madeIssue("A-1");

  /** What a look finds in answers that are given in this order, and how many it asked for; its pause is cut short. */
  async function found(...answers: readonly (readonly (typeof issue)[])[]) {
    const abort = new AbortController();
    let asked = 0;
    const look = checkIssue(async () => answers[asked++] ?? [], new HandClock(), abort.signal);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    const before = asked;
    abort.abort();
    return { answer: await look, before, asked };
  }

  test("asks again a while later, and believes what it is told then: an answer can be late", async () => {
    const there = { type: "checked", status: issue };
    expect(await found([issue])).toEqual({ answer: there, before: 1, asked: 1 });
    expect(await found([], [issue])).toEqual({ answer: there, before: 1, asked: 2 });
  });

  test("says that it is gone when it is missing twice", async () => {
    expect(await found([], [], [issue])).toEqual({
      answer: { type: "checked", status: null },
      before: 1,
      asked: 2,
    });
  });
});
