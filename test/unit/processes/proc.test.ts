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

  test("threads of the kernel have no program, and their environment is known to be nothing", () => {
    const threads = [...procfs.list(new Map()).values()].filter(({ program }) => program === "");
    const found = procfs.environments(threads, new Set(["PATH"]));
    expect([...found.values()].every((entries) => entries.length === 0)).toBe(true);
    expect(found.size).toBe(threads.length);
  });
});
