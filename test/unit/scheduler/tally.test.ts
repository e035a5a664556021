import { expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { type Ending, threadId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import {
  afterRun,
  givenBack,
  givenUpLater,
  newTally,
  released,
  type Tally,
} from "../../../src/scheduler/tally.ts";
import { T0 } from "./made.ts";
import { tokens } from "./played.ts";

const [OLD, NEW] = [threadId("t-old"), threadId("t-new")];

/** Every field has a value that it does not begin with. */
const USED: Tally = {
  runs: 4,
  failures: 2,
  idle: 1,
  fingerprint: "f-before",
  extraRuns: 5,
  extraTokens: 600,
  tokens: tokens(100),
  thread: OLD,
  threadTotal: tokens(90),
  threadFailures: 1,
  told: { thread: OLD, digest: "d", state: "Todo" },
  last: {
    at: T0,
    state: "Todo",
    thread: OLD,
    turns: 1,
    outcome: "failed",
    kind: "port_exit",
    why: "it died",
    released: null,
  },
};
const LEFT = { turns: 1, tokens: tokens(10), thread: NEW, threadTotal: tokens(10) };

const ended = (outcome: Ending["outcome"], kind?: Parameters<typeof failure>[0]) => ({
  ending: { outcome, failure: kind === undefined ? null : failure(kind, "it ended") },
  held: false,
  moved: null,
  fingerprint: null,
  state: "In Progress",
  at: after(T0, 1_000),
});
const WELL = ended("completed");

const counters = ({ runs, failures, idle }: Tally): readonly number[] => [runs, failures, idle];

test.each([
  ["ended well: it was no failure", WELL, [4, 0, 0]],
  ["ended well and moved something", { ...WELL, moved: true }, [4, 0, 0]],
  ["ended well and moved nothing", { ...WELL, moved: false }, [4, 0, 2]],
  ["failed", { ...ended("failed", "port_exit"), moved: false }, [4, 3, 1]],
  ["stalled", ended("stalled", "stalled"), [4, 3, 1]],
  ["lasted too long", ended("timed_out", "turn_timeout"), [4, 3, 1]],
  ["was not eligible any more", ended("canceled", "no_longer_eligible"), [4, 2, 1]],
  ["failed by what is nobody's issue", { ...ended("failed", "usage_limit"), held: true }, [3, 2, 1]],
  ["alone was refused by the provider", ended("failed", "provider_overloaded"), [4, 3, 1]],
  ["was interrupted by a stop", ended("interrupted", "shutdown"), [3, 2, 1]],
  [
    "was cut short by a pause",
    { ...WELL, moved: false, ending: { ...WELL.ending, gate: "it is paused" } },
    [3, 0, 1],
  ],
  [
    "was cut short by a drain, and had moved something",
    { ...WELL, moved: true, ending: { ...WELL.ending, gate: "Baton is draining" } },
    [3, 0, 1],
  ],
  ["was lost with its daemon", ended("lost", "lost"), [3, 2, 1]],
] as const)("what is counted after a run that %s", (_how, found, counted) => {
  expect(counters(afterRun(USED, LEFT, found))).toEqual(counted);
});

test("nothing is given back twice: a release may have come while the run was under way", () => {
  expect(afterRun(newTally, LEFT, ended("lost", "lost")).runs).toBe(0);
});

test("failures that turn out to be nobody's issue give back their attempts, and never more than there were", () => {
  expect(counters(givenBack(USED, 1))).toEqual([3, 1, 1]);
  expect(counters(givenBack(newTally, 1))).toEqual([0, 0, 0]);
});

test("tokens add up, what was granted stays, and the workspace is known as it was last seen", () => {
  const left = afterRun(USED, LEFT, WELL);
  expect(left).toMatchObject({ tokens: tokens(110), extraRuns: 5, extraTokens: 600 });
  expect(left.fingerprint).toBe("f-before");
  expect(afterRun(USED, LEFT, { ...WELL, fingerprint: "f-after" }).fingerprint).toBe("f-after");
});

test("a thread is known once it had a turn, and its mark never shrinks", () => {
  const thread = (left: object) => {
    const { thread, threadTotal } = afterRun(USED, { ...LEFT, ...left }, WELL);
    return [thread, threadTotal.total];
  };
  expect(thread({ turns: 0 })).toEqual([OLD, 90]);
  // The mark of another thread would swallow the first tokens of this one.
  expect(thread({})).toEqual([NEW, 10]);
  expect(thread({ thread: OLD, threadTotal: tokens(95) })).toEqual([OLD, 95]);
  expect(thread({ thread: OLD })).toEqual([OLD, 90]);
});

test("what the next run has to know of this one is kept, and of the thread the prompt that it has seen", () => {
  expect(afterRun(USED, LEFT, ended("failed", "port_exit"))).toMatchObject({
    told: USED.told,
    last: { at: after(T0, 1_000), state: "In Progress", turns: 1, outcome: "failed", why: "it ended" },
  });
  expect(afterRun(USED, LEFT, WELL).last).toMatchObject({ outcome: "completed", why: null, released: null });
});

test("a release sets every counter back, and keeps what is known of workspace, thread and last run", () => {
  const { fingerprint, thread, threadTotal, threadFailures, told, last } = USED;
  const kept = { fingerprint, thread, threadTotal, threadFailures, told, last };
  expect(released(USED, { parked: null })).toEqual({ ...newTally, ...kept });
  const granted = { extraRuns: 1, extraTokens: 20 };
  expect(released(USED, { parked: null, granted })).toEqual({ ...newTally, ...kept, ...granted });
  const parked = released({ ...USED, threadFailures: 0 }, { parked: "it failed" });
  expect(parked).toEqual({
    ...newTally,
    ...kept,
    threadFailures: 0,
    last: { ...last, released: "it failed" },
  });
});

test("a release gives a thread up that had its part in the park, or when it is asked to", () => {
  const without = { thread: null, threadTotal: newTally.threadTotal, threadFailures: 0 };
  expect(released(USED, { parked: "it failed" })).toMatchObject(without);
  expect(released({ ...USED, threadFailures: 0 }, { parked: null, newThread: true })).toMatchObject(without);
});

test("asked for while a run is under way, its thread is given up when it ends, however that is", () => {
  for (const found of [WELL, ended("lost", "lost"), ended("failed", "hook_failed")])
    expect(afterRun(givenUpLater(USED), LEFT, found)).toMatchObject({ thread: null, threadFailures: 0 });
});
