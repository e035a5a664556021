import { beforeEach, describe, expect, test } from "vitest";
import { after, instant, type Instant } from "../../../../src/domain/time.ts";
import { RateGate, rateGates, type Pass } from "../../../../src/tracker/linear/rate-gate.ts";

const never = new AbortController().signal;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now: Instant;
let gate: RateGate;
beforeEach(() => {
  now = instant(1_800_000_000_000);
  gate = new RateGate(() => now);
});

const pass = async (): Promise<Pass> => {
  const entry = await gate.enter(never);
  if (typeof entry === "number") throw new Error(`shut until ${entry}`);
  return entry;
};

/** The next request is refused; returns how long nothing may be sent after it. */
async function refused(until: number | null = null): Promise<number> {
  const end = (await pass())({ said: "limited", until: until === null ? null : instant(until) });
  return (end ?? now) - now;
}

const wait = (ms: number): void => void (now = after(now, ms));

describe("after a refusal", () => {
  test("nothing is let through before the time the server gave, and then something is", async () => {
    await refused(now + HOUR);
    const shutUntil = now + HOUR;
    wait(HOUR - 1);
    expect(await gate.enter(never)).toBe(shutUntil);
    wait(1);
    expect(await gate.enter(never)).toBeTypeOf("function");
  });

  test("without a time the pause doubles from ten seconds to an hour", async () => {
    const pauses: number[] = [];
    for (let n = 0; n < 12; n++) {
      pauses.push(await refused());
      wait(pauses[n] ?? 0);
    }
    expect(pauses.slice(0, 4)).toEqual([10_000, 20_000, 40_000, 80_000]);
    expect(pauses.slice(9)).toEqual([HOUR, HOUR, HOUR]);
  });

  test("an answer begins the pauses anew", async () => {
    wait(await refused());
    wait(await refused());
    (await pass())({ said: "fine" });
    expect(await refused()).toBe(10_000);
  });

  test("a time in the past is none", async () => {
    expect(await refused(now - 1)).toBe(10_000);
    wait(10_000);
    expect(await refused(now)).toBe(20_000);
  });

  test("a time that is always near is believed twice", async () => {
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      pauses.push(await refused(now + 1));
      wait(pauses[n] ?? 0);
    }
    expect(pauses).toEqual([1, 1, 40_000, 80_000]);
  });
});

describe("requests that were under way together", () => {
  test("are refused together: the latest end counts, and they are one refusal", async () => {
    const [a, b, c] = [await pass(), await pass(), await pass()];
    expect(a({ said: "limited", until: null })).toBe(now + 10_000);
    expect(b({ said: "limited", until: instant(now + MINUTE) })).toBe(now + MINUTE);
    expect(c({ said: "limited", until: null })).toBe(now + MINUTE);
    wait(MINUTE);
    expect(await refused()).toBe(20_000);
  });

  test("one that is answered late opens nothing", async () => {
    const early = await pass();
    await refused(now + HOUR);
    early({ said: "fine" });
    expect(await gate.enter(never)).toBe(now + HOUR);
  });
});

describe("when the time has come", () => {
  /** One goes ahead, two more have asked. */
  async function three() {
    wait(await refused());
    const first = await pass();
    return { first, second: gate.enter(never), third: gate.enter(never) };
  }

  test("one request goes ahead, and what it learns counts for those that wait", async () => {
    const { first, second, third } = await three();
    first({ said: "limited", until: null });
    expect([await second, await third]).toEqual([now + 20_000, now + 20_000]);
  });

  test("all go when it is answered", async () => {
    const { first, second, third } = await three();
    first({ said: "fine" });
    expect(typeof (await second)).toBe("function");
    expect(typeof (await third)).toBe("function");
  });

  test("the next one goes ahead when it was given up", async () => {
    const { first, second, third } = await three();
    first({ said: "nothing" });
    const next = await second;
    if (typeof next === "number") throw new Error("nobody has learned anything");
    next({ said: "limited", until: null });
    expect(await third).toBe(now + 20_000);
  });

  test("nobody waits longer than its own signal", async () => {
    const { second, third } = await three();
    const abort = new AbortController();
    const mine = gate.enter(abort.signal);
    abort.abort();
    expect(typeof (await mine)).toBe("function");
    void second;
    void third;
  });
});

test("workflows with the same key at the same place share a gate, others do not", () => {
  const of = rateGates(() => now);
  const mine = { endpoint: "https://a/graphql", apiKey: "k1" };
  expect(of({ ...mine })).toBe(of(mine));
  expect(of({ ...mine, apiKey: "k2" })).not.toBe(of(mine));
  expect(of({ ...mine, endpoint: "https://b/graphql" })).not.toBe(of(mine));
});
