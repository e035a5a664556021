import { once } from "node:events";
import { expect, test } from "vitest";
import { groupLives, killQuietly } from "../../../src/processes/kill.ts";
import { childOf, endsChildren, shell } from "./trees.ts";
import { eventually } from "../../eventually.ts";

endsChildren();

test("a process that is gone already is not an error", async () => {
  const child = shell("exec sleep 600");
  killQuietly(child.pid, "SIGTERM");
  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  killQuietly(child.pid, "SIGKILL");
  killQuietly(-child.pid, "SIGKILL");
});

test("a group lives as long as it has a member, and is killed as a whole", async () => {
  const leader = shell("sleep 600 & exec sleep 600");
  await childOf(leader.pid);
  killQuietly(leader.pid, "SIGKILL");
  await once(leader, "exit");
  expect(groupLives(leader.pid)).toBe(true);
  killQuietly(-leader.pid, "SIGKILL");
  await eventually(() => expect(groupLives(leader.pid)).toBe(false));
});
