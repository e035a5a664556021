import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { Family } from "../../../src/processes/family.ts";
import { killQuietly, ownAncestors, startTicks, withDescendants } from "../../../src/processes/proc.ts";
import { eventually } from "../../eventually.ts";

const children: ChildProcess[] = [];
const families: Family[] = [];
afterEach(async () => {
  // While their parents live: afterwards nobody knows whose they were.
  const started = children.flatMap(({ pid }) => pid ?? []);
  for (const pid of withDescendants(started)) killQuietly(pid, "SIGKILL");
  for (const family of families.splice(0)) family.kill();
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
  );
});

/** A shell with a child that has a child; the pids from the outermost on. */
async function three(): Promise<readonly [number, number, number]> {
  const child = spawn("bash", ["-c", "bash -c 'sleep 600; :'; :"], { stdio: "ignore" });
  children.push(child);
  const first = child.pid ?? 0;
  const second = await childOf(first);
  return [first, second, await childOf(second)];
}

const childOf = (pid: number): Promise<number> =>
  eventually(() => {
    const found = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), 10);
    expect(found).toBeGreaterThan(0);
    return found;
  });

function familyOf(find: () => readonly number[], spared?: ReadonlySet<number>): Family {
  const family = new Family(find, spared);
  families.push(family);
  return family;
}

const isAlive = (pid: number): boolean => startTicks(pid) !== null;

test("all that hang on a process are its descendants, however deep; it comes first", async () => {
  const [first, second, third] = await three();
  expect(withDescendants([first])).toEqual([first, second, third]);
  expect(withDescendants([second])).toEqual([second, third]);
  expect(withDescendants([])).toEqual([]);
});

test("this process and those that started it are its own ancestors, and their other children are not", async () => {
  const [first] = await three();
  const own = ownAncestors();
  expect([own.has(process.pid), own.has(process.ppid), own.has(first)]).toEqual([true, true, false]);
});

test("who once belonged to a family is known when its parents are gone", async () => {
  const [first, second, third] = await three();
  let found = [first];
  const family = familyOf(() => found);
  expect(family.look()).toEqual([first, second, third]);
  found = [];
  for (const pid of [first, second]) killQuietly(pid, "SIGKILL");
  await eventually(() => expect(family.look()).toEqual([third]));
  expect(family.count).toBe(3);
  expect(family.kill()).toBe(1);
  await eventually(() => expect(isAlive(third)).toBe(false));
  expect(family.look()).toEqual([]);
});

test("who is spared is neither of a family nor found for hanging on it", async () => {
  const [first, second, third] = await three();
  const family = familyOf(() => [first, second], new Set([first, third]));
  expect(family.look()).toEqual([second]);
});

test("a family that finds nobody is nobody", () => {
  expect(familyOf(() => []).look()).toEqual([]);
  expect(familyOf(() => [2 ** 30]).look()).toEqual([]);
});
