import { expect, test } from "vitest";
import { isAlive } from "../../../src/processes/alive.ts";
import { endsChildren, gone, shell } from "./trees.ts";

endsChildren();

test("a number has a process or has none, whosever it is", async () => {
  const child = shell("exec sleep 600");
  // Process 1 is another user's, unless the tests run as root.
  expect([process.pid, child.pid, 1].map(isAlive)).toEqual([true, true, true]);
  await gone(child);
  expect([child.pid, 2 ** 30].map(isAlive)).toEqual([false, false]);
});
