import { afterEach, expect, test } from "vitest";
import { Census, type Sight } from "../../../src/processes/census.ts";
import { Family } from "../../../src/processes/family.ts";
import { killQuietly } from "../../../src/processes/kill.ts";
import { machine } from "../../../src/processes/machine.ts";
import type { Listed, Processes } from "../../../src/processes/port.ts";
import { eventually } from "../../eventually.ts";
import { endsChildren, three } from "./trees.ts";

const families: Family[] = [];
endsChildren();
afterEach(() => {
  for (const family of families.splice(0)) family.kill();
});

function familyOf(find: (sight: Sight) => readonly number[], spared?: ReadonlySet<number>): Family {
  const family = new Family({ census: machine, find, ...(spared && { spared }) });
  families.push(family);
  return family;
}

const isAlive = (pid: number): boolean => machine.startOf(pid) !== null;

test("who once belonged to a family is known when its parents are gone", async () => {
  const [first, second, third] = await three();
  let found = [first];
  const family = familyOf(() => found);
  expect(family.look()).toEqual([first, second, third]);
  found = [];
  for (const pid of [first, second]) killQuietly(pid, "SIGKILL");
  await eventually(() => expect(family.look()).toEqual([third]));
  expect(family.count).toBe(3);
  expect(family.kill()).toEqual([third]);
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

test("nobody is of a family for a number that was another's at the last look", () => {
  const one: Listed = { pid: 70, start: 1, parent: 1, group: 70, program: "one" };
  const younger: Listed = { ...one, start: 2 };
  let now = one;
  const system: Processes = {
    source: "/proc",
    list: (known) => new Map([[70, known.get(70) ?? now]]),
    read: () => new Map([[70, now]]),
    environments: () => new Map(),
    bootId: () => null,
    oomKills: () => 0,
  };
  const family = new Family({ census: new Census(system, () => 0), find: () => [70] });
  expect(family.look()).toEqual([70]);
  now = younger;
  expect(family.look()).toEqual([]);
  expect(family.count).toBe(1);
});
