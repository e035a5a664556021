import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { Census, wholeEntry } from "../../../src/processes/census.ts";
import { end, eventually as untilOver } from "../../../src/processes/ending.ts";
import { Family } from "../../../src/processes/family.ts";
import { killQuietly } from "../../../src/processes/kill.ts";
import { machine } from "../../../src/processes/machine.ts";
import { procfs } from "../../../src/processes/proc.ts";
import { ps } from "../../../src/processes/ps.ts";
import { eventually } from "../../eventually.ts";
import { childOf, endsChildren, shell, three } from "./trees.ts";

endsChildren();

/** Longer than a test may take. */
const LONG_MS = 600_000;

const familyOf = (...pids: readonly number[]): Family => new Family({ census: machine, find: () => pids });
const isAlive = (pid: number): boolean => machine.startOf(pid) !== null;

describe("a group of processes", () => {
  test("that goes when it is asked is not asked again, and nothing is waited for", async () => {
    const child = shell("exec sleep 600");
    const asked: string[] = [];
    const exited = once(child, "exit");
    const left = await end({
      family: familyOf(child.pid),
      group: child.pid,
      steps: [
        { ask: () => killQuietly(child.pid, "SIGINT"), waitMs: LONG_MS },
        { ask: () => asked.push("again"), waitMs: LONG_MS },
      ],
      gone: async () => (await exited) !== null,
      killMs: LONG_MS,
    });
    expect({ left, asked, signal: child.signalCode }).toEqual({ left: [], asked: [], signal: "SIGINT" });
  });

  test("is asked step by step, each with its time, and then killed with what hangs on it", async () => {
    const [first, second, third] = await three();
    const waits: number[] = [];
    const asked: string[] = [];
    const left = await end({
      family: familyOf(first),
      group: null,
      steps: [
        { ask: () => asked.push("kindly"), waitMs: 1 },
        { ask: () => asked.push("harder"), waitMs: 2 },
      ],
      gone: async (ms) => {
        waits.push(ms);
        return false;
      },
      killMs: 5_000,
    });
    expect({ left, asked, waits }).toEqual({ left: [], asked: ["kindly", "harder"], waits: [1, 2] });
    expect([first, second, third].some(isAlive)).toBe(false);
  });

  test("is looked at before it is asked: who is handed on meanwhile is known and goes too", async () => {
    const { pid } = shell("env -i setsid sleep 600 & trap 'exit 0' TERM; while :; do sleep 0.05; done");
    const away = await eventually(() => {
      const [found] = machine
        .look()
        .withDescendants([pid])
        .filter((one) => machine.look().membersOf(one).length > 0 && one !== pid);
      expect(found).toBeDefined();
      return found ?? 0;
    });
    // It remembers nothing: what a look a moment ago has seen must not help.
    const census = new Census(ps(process.platform === "linux" ? "procps" : "bsd"));
    const left = await end({
      family: new Family({ census, find: () => [pid] }),
      group: pid,
      steps: [{ ask: () => killQuietly(pid, "SIGTERM"), waitMs: 5_000 }],
      gone: (ms) => untilOver(ms, () => !isAlive(pid)),
      killMs: 5_000,
    });
    expect({ left, alive: isAlive(away) }).toEqual({ left: [], alive: false });
  });

  test("is killed as a group, also those that no family knows", async () => {
    const { pid } = shell("sleep 600 & sleep 600");
    const child = await childOf(pid);
    await end({ family: familyOf(), group: pid, steps: [], gone: async () => true, killMs: 0 });
    await eventually(() => expect([pid, child].some(isAlive)).toBe(false));
  });

  test("that forks while it is killed is killed to the last, by its mark", async () => {
    const mark = `ENDING_TEST=${process.pid}`;
    const { pid } = shell("trap '' TERM; while :; do sleep 600 & sleep 0.005; done", {
      ENDING_TEST: String(process.pid),
    });
    await eventually(() => expect(machine.look().withDescendants([pid]).length).toBeGreaterThan(10));
    const family = new Family({ census: machine, find: (sight) => sight.carriers([wholeEntry(mark)]) });
    expect(await end({ family, group: null, steps: [], gone: async () => true, killMs: 8_000 })).toEqual([]);
    expect(machine.look().membersOf(pid).some(isAlive)).toBe(false);
  });

  test("is looked for again while somebody's environment cannot be read: an exec hides it for a moment", async () => {
    const { pid } = shell("exec sleep 600", { ENDING_TEST: `hidden${process.pid}` });
    await eventually(() =>
      expect(machine.look().carriers([`ENDING_TEST=hidden${process.pid}`])).toEqual([pid]),
    );
    let looks = 0;
    const census = new Census({
      ...procfs,
      environments: (of, names) => (looks++ === 0 ? new Map() : procfs.environments(of, names)),
    });
    const family = new Family({
      census,
      find: (sight) => sight.carriers([wholeEntry(`ENDING_TEST=hidden${process.pid}`)]),
    });
    await end({ family, group: null, steps: [], gone: async () => true, killMs: 8_000 });
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  test("that is there when time is up is said to be left", async () => {
    const { pid } = shell("exec sleep 600");
    const left = await end({
      family: familyOf(pid),
      group: null,
      steps: [],
      gone: async () => true,
      killMs: 0,
    });
    expect(left).toEqual([pid]);
  });
});

test("what nobody tells of is looked for until it is there, or time is up", async () => {
  let looks = 0;
  expect(await untilOver(LONG_MS, () => ++looks === 3)).toBe(true);
  expect(await untilOver(0, () => false)).toBe(false);
});
