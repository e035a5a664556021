/** Processes for tests of processes. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect } from "vitest";
import { killQuietly } from "../../../src/processes/kill.ts";
import { machine } from "../../../src/processes/machine.ts";
import { eventually } from "../../eventually.ts";

const children: ChildProcess[] = [];

/** Ends after each test what this file has started. */
export function endsChildren(): void {
  afterEach(async () => {
    // While their parents live: afterwards nobody knows whose they were.
    const started = children.flatMap(({ pid }) => pid ?? []);
    for (const pid of machine.look().withDescendants(started)) killQuietly(pid, "SIGKILL");
    await Promise.all(children.splice(0).map(gone));
  });
}

/** Its end, if that has not come yet. */
export async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  killQuietly(child.pid ?? 0, "SIGKILL");
  await once(child, "exit");
}

/** A line of shell in a group of its own, with nothing but this and a PATH in its environment; its pid. */
export function shell(
  line: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess & { pid: number } {
  const child = spawn("bash", ["-c", line], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: "ignore",
    detached: true,
  });
  children.push(child);
  return Object.assign(child, { pid: child.pid ?? 0 });
}

/** A shell with a child that has a child; the pids from the outermost on. */
export async function three(): Promise<readonly [number, number, number]> {
  const { pid: first } = shell("bash -c 'sleep 600; :'; :");
  const second = await childOf(first);
  return [first, second, await childOf(second)];
}

/** The one child of a process, once there is one. */
export const childOf = (pid: number): Promise<number> =>
  eventually(() => {
    const [, child] = machine.look().withDescendants([pid]);
    expect(child).toBeDefined();
    return child ?? 0;
  });
