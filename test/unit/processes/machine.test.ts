import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { machine, weaknessOf } from "../../../src/processes/machine.ts";

test("processes are read from /proc where there is one, and asked of ps elsewhere", () => {
  expect(machine.source).toBe(existsSync("/proc/self/stat") ? "/proc" : "ps");
  expect(machine.startOf(process.pid)).not.toBeNull();
  expect(machine.bootId()).not.toBeNull();
});

test("where there is no /proc, that something is weaker is said", () => {
  expect(weaknessOf("/proc")).toBeNull();
  expect(weaknessOf("ps")).toContain("ps");
});
