/** What holds of processes however the system is asked for them. */
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { Census, wholeEntry } from "../../../src/processes/census.ts";
import { Family } from "../../../src/processes/family.ts";
import { killQuietly } from "../../../src/processes/kill.ts";
import type { Listed, Processes } from "../../../src/processes/port.ts";
import { eventually } from "../../eventually.ts";
import { childOf, endsChildren, shell, three } from "./trees.ts";

export function processesSuite(system: Processes): void {
  endsChildren();

  const listed = (pid: number): Listed | undefined => system.list(new Map()).get(pid);
  const entriesOf = (pid: number, ...names: readonly string[]): readonly string[] | undefined => {
    const one = listed(pid);
    return one && system.environments([one], new Set(names)).get(pid);
  };
  /** A bash that has become `sleep` keeps its number, and what was known of it before is not asked here. */
  const asleep = (pid: number): Promise<void> =>
    eventually(() => expect(listed(pid)?.program).toMatch(/sleep/));
  const isThere = (pid: number): boolean => system.read([pid]).has(pid);

  describe(`processes by ${system.source}`, () => {
    test("a process is listed with its parent, its group and its start", async () => {
      const { pid } = shell("sleep 600; :");
      const child = await childOf(pid);
      expect(listed(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
      expect(listed(pid)).toMatchObject({ pid, parent: process.pid, group: pid });
      expect(listed(child)).toMatchObject({ pid: child, parent: pid, group: pid });
      expect(listed(pid)?.start).toBeGreaterThanOrEqual(listed(process.pid)?.start ?? Infinity);
      expect(listed(child)?.start).toBeGreaterThanOrEqual(listed(pid)?.start ?? Infinity);
    });

    test("one that is asked for is read as it is listed", () => {
      const { pid } = shell("sleep 600; :");
      const [one] = [system.read([pid, 2 ** 30])];
      expect([...one.keys()]).toEqual([pid]);
      expect(one.get(pid)?.start).toBe(listed(pid)?.start);
      expect(system.read([]).size).toBe(0);
    });

    test("the start of a process is the same whenever it is asked for, a whole number", async () => {
      const { pid } = shell("sleep 600");
      const first = system.read([pid]).get(pid)?.start;
      expect(Number.isSafeInteger(first)).toBe(true);
      await asleep(pid);
      expect(system.read([pid]).get(pid)?.start).toBe(first);
    });

    test("the dead are neither listed nor read, also while nobody has reaped them", async () => {
      // Its parent is stopped and reaps nobody.
      const { pid } = shell("sleep 600 & wait");
      const child = await childOf(pid);
      killQuietly(pid, "SIGSTOP");
      killQuietly(child, "SIGKILL");
      await eventually(() => expect(isThere(child)).toBe(false));
      expect(listed(child)).toBeUndefined();
      expect(isThere(pid)).toBe(true);
    });

    test("entries of an environment are found under their names, whole, and only as entries", async () => {
      const { pid } = shell("exec sleep 600", { MINE: "a-b.c", MINE_TOO: "2", OTHER: "xMINE=no" });
      await asleep(pid);
      expect(entriesOf(pid, "MINE")).toEqual(["MINE=a-b.c\0"]);
      expect(entriesOf(pid, "MINE", "MINE_TOO")?.toSorted()).toEqual(["MINE=a-b.c\0", "MINE_TOO=2\0"]);
      expect(entriesOf(pid, "MIN")).toEqual([]);
    });

    test("what stands in the arguments is not taken for the environment", async () => {
      const { pid } = shell("exec -a 'sleep MINE=arg' sleep 600", { OTHER: "1" });
      await asleep(pid);
      expect(entriesOf(pid, "MINE")).toEqual([]);
    });

    test("a process with nothing in its environment has nothing, and that is known", async () => {
      const { pid } = shell("exec env -i sleep 600", { MINE: "gone" });
      await asleep(pid);
      await eventually(() => expect(entriesOf(pid, "MINE")).toEqual([]));
    });

    test("a process that becomes another program is seen to have become one", async () => {
      const { pid } = shell("kill -STOP $$; exec env MINE=late sleep 600");
      await eventually(() => expect(listed(pid)).toBeDefined());
      const before = listed(pid)?.program;
      await eventually(() => {
        killQuietly(pid, "SIGCONT");
        expect(listed(pid)?.program).toMatch(/sleep/);
      });
      expect(listed(pid)?.program).not.toBe(before);
      await eventually(() => expect(entriesOf(pid, "MINE")).toEqual(["MINE=late\0"]));
    });

    test("the boot has a name, and it stays", () => {
      expect(system.bootId()).toMatch(/\w+/);
      expect(system.bootId()).toBe(system.bootId());
    });

    test("processes ended for want of memory are a number", () => {
      expect(system.oomKills()).toBeGreaterThanOrEqual(0);
    });

    test("a family is found by its mark and by what hangs on it, and killed", async () => {
      const mark = `PORT_SUITE=${process.pid}.${system.source}`;
      const [name = "", value = ""] = mark.split("=");
      const marked = shell("exec sleep 600", { [name]: value });
      const [first, second, third] = await three();
      const other = shell("exec sleep 600", { [name]: `${value}2` });
      for (const { pid } of [marked, other]) await asleep(pid);
      const census = new Census(system);
      const family = new Family({
        census,
        find: (sight) => [first, ...sight.carriers([wholeEntry(mark)])],
      });
      expect(new Set(family.look())).toEqual(new Set([first, second, third, marked.pid]));
      expect(family.kill()).toHaveLength(4);
      expect(await once(marked, "exit")).toEqual([null, "SIGKILL"]);
      await eventually(() => expect(family.look()).toEqual([]));
      expect([family.count, isThere(other.pid)]).toEqual([4, true]);
    });
  });
}
