import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { procfs } from "../../../src/processes/proc.ts";
import { processesSuite } from "./port-suite.ts";

describe.runIf(existsSync("/proc/self/stat"))("on a system with /proc", () => {
  processesSuite(procfs);

  test("a start is the field of the kernel, in ticks since boot, and the boot has the kernel's id", () => {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    expect(procfs.read([process.pid]).get(process.pid)?.start).toBe(ticks);
    expect(procfs.bootId()).toBe(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  });

  test("who is known is given back as it is, and not read again", () => {
    const first = procfs.list(new Map());
    const second = procfs.list(first);
    expect(second.get(process.pid)).toBe(first.get(process.pid));
    expect(procfs.list(new Map()).get(process.pid)).not.toBe(first.get(process.pid));
  });

  test("what has no program, as threads of the kernel, has an environment of which nothing is known", () => {
    const self = procfs.read([process.pid]).get(process.pid);
    if (self === undefined) throw new Error("this process is not found");
    const entriesOf = (program: string) =>
      procfs.environments([{ ...self, program }], new Set(["PATH"])).get(process.pid);
    expect(entriesOf(self.program)).not.toEqual([]);
    expect(entriesOf("")).toEqual([]);
  });

  test("processes ended for want of memory are counted by the kernel", () => {
    const counted = /^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1];
    expect(String(procfs.oomKills())).toBe(counted);
  });
});
