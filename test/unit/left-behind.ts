/**
 * Test files of one worker share its process (vitest.config.ts). What one leaves behind there, another would find, and
 * fail or pass by the order in which they happen to run: a file that leaves something behind fails itself.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, vi } from "vitest";

interface Process {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly listeners: Readonly<Record<string, number>>;
  readonly isClockReal: boolean;
  readonly children: readonly string[];
}

let before: Process;
beforeAll(() => {
  before = processNow();
});
afterAll(async () => {
  // A child that was ended is there until its parent has heard of it.
  await vi.waitFor(() => expect(processNow(), "what this file leaves behind in its process").toEqual(before));
});

function processNow(): Process {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    isClockReal: !vi.isFakeTimers(),
    children: children(),
  };
}

/** Pids; none where there is no /proc to read them from. */
function children(): readonly string[] {
  try {
    return readdirSync("/proc/self/task").flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
  } catch {
    return [];
  }
}
