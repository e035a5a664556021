import { describe, expect, test } from "vitest";
import { checkIssue } from "../../../../src/daemon/chores/check.ts";
import { after } from "../../../../src/domain/time.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";
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
