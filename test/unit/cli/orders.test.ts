import { expect, test } from "vitest";
import { EXIT } from "../../../src/cli/exit.ts";
import { release } from "../../../src/cli/orders.ts";
import type { Output } from "../../../src/terminal/terminal.ts";

const silent: Output = {
  out: () => {},
  err: () => {},
  isTerminal: false,
  columns: 80,
};

test.each([
  ["names no ticket and not all", undefined, {}, /--all/],
  ["names a ticket and all", "MT-1", { all: true }, /name no ticket/],
  ["grants runs to all", undefined, { all: true, addRuns: 2 }, /grant nothing/],
  ["gives a reason and not all", "MT-1", { reason: "failing" as const }, /--reason belongs to --all/],
])("a release that %s is a mistake of usage, and orders nothing", async (_what, issue, options, words) => {
  const error: unknown = await release(issue, { addRuns: 0, addTokens: 0, ...options }, silent).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: EXIT.usage, message: expect.stringMatching(words) });
});
