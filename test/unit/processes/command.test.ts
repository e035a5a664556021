import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../../src/processes/command.ts";
import { machine } from "../../../src/processes/machine.ts";
import { eventually } from "../../eventually.ts";
import { startTicks } from "../../processes.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "baton-command-"));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

interface Bounds {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | null;
}

const sh = (script: string, { timeoutMs = 20_000, signal = null }: Bounds = {}): Promise<CommandResult> =>
  runCommand({
    file: "sh",
    args: ["-c", script],
    cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs,
    signal,
  });

/** Rejects as long as nothing is written there. */
async function pidIn(file: string): Promise<number> {
  const pid = Number.parseInt(await readFile(join(cwd, file), "utf8"), 10);
  if (Number.isNaN(pid)) throw new Error(`${file} is still empty`);
  return pid;
}

/** A zombie that nobody has waited for yet is as good as gone. */
const isGone = (pid: number): boolean => startTicks(pid) === null;

describe("a command", () => {
  test("ends with its exit code and both its outputs", async () => {
    expect(await sh("echo out; echo err >&2; exit 3")).toEqual({
      end: { type: "exited", code: 3 },
      output: "out\nerr",
    });
  });

  test("that cannot be started for want of file descriptors says so, and hurts nobody else", async () => {
    const script = `
      const { openSync } = await import("node:fs");
      const { runCommand } = await import(${JSON.stringify(new URL("../../../src/processes/command.ts", import.meta.url))});
      try { for (;;) openSync("/dev/null", "r"); } catch {}
      const bounds = { cwd: "/", env: {}, timeoutMs: 5_000, signal: null };
      const { end } = await runCommand({ ...bounds, file: "true", args: [] });
      await new Promise((resolve) => setImmediate(resolve));
      console.log(end.type, end.error.includes("EMFILE"));`;
    const node = `"${process.execPath}" --input-type=module -e "$SCRIPT"`;
    const { output } = await runCommand({
      file: "bash",
      args: ["-c", `ulimit -n 64; exec ${node}`],
      cwd,
      env: { PATH: process.env["PATH"] ?? "", SCRIPT: script },
      timeoutMs: 20_000,
      signal: null,
    });
    expect(output).toBe("unstartable true");
  });

  test("sees nothing of the environment but what it is given, and waits for no input", async () => {
    const bounds = { cwd, timeoutMs: 5_000, signal: null };
    const env = { PATH: process.env["PATH"] ?? "", ONLY: "this" };
    expect((await runCommand({ ...bounds, env, file: "env", args: [] })).output).toBe(
      `PATH=${env.PATH}\nONLY=this`,
    );
    expect((await runCommand({ ...bounds, env, file: "cat", args: [] })).end).toEqual({
      type: "exited",
      code: 0,
    });
  });

  test("that is killed says by which signal", async () => {
    expect((await sh("kill -9 $$")).end).toEqual({ type: "killed", signal: "SIGKILL" });
  });

  test("that cannot be started says why", async () => {
    const bounds = { cwd, env: {}, timeoutMs: 1_000, signal: null };
    const missing = await runCommand({ ...bounds, file: "/no/such/program", args: [] });
    expect(missing.end).toEqual({ type: "unstartable", error: expect.stringContaining("ENOENT") });
    const tooLong = await runCommand({ ...bounds, file: "/bin/sh", args: ["x".repeat(300_000)] });
    expect(tooLong.end).toEqual({ type: "unstartable", error: expect.stringContaining("E2BIG") });
  });

  test("that is ended is ended with its whole process group, also those who ignore TERM", async () => {
    const stop = new AbortController();
    const deaf = `sh -c 'trap "" TERM; echo $$ > deaf; sleep 600' > /dev/null 2>&1 &`;
    const running = sh(`${deaf} sleep 600 & echo $! > meek; wait`, { signal: stop.signal });
    const pids = await eventually(async () => [await pidIn("deaf"), await pidIn("meek")]);
    stop.abort();
    await running;
    for (const pid of pids) await eventually(() => expect(isGone(pid)).toBe(true));
  });

  test("that is ended takes along what hangs on it in a group of its own", async () => {
    const stop = new AbortController();
    const running = sh("setsid sleep 600 & echo $! > away; wait", { signal: stop.signal });
    const pid = await eventually(() => pidIn("away"));
    // Until it is in a group of its own it would be ended with the first one.
    await eventually(() => expect(machine.look().membersOf(pid)).toEqual([pid]));
    stop.abort();
    await running;
    expect(isGone(pid)).toBe(true);
  });

  test("out of time is ended", async () => {
    expect((await sh("sleep 600", { timeoutMs: 20 })).end).toEqual({ type: "timeout" });
  });

  test("may tidy up when it is told to end", async () => {
    const stop = new AbortController();
    const script = `trap 'echo tidied > done; exit 0' TERM; echo $$ > pid; sleep 600 & wait`;
    const running = sh(script, { signal: stop.signal });
    await eventually(() => pidIn("pid"));
    stop.abort();
    expect((await running).end).toEqual({ type: "aborted" });
    expect(await readFile(join(cwd, "done"), "utf8")).toBe("tidied\n");
  });

  test("is ended by an abort, and not even started after one", async () => {
    const stop = new AbortController();
    const running = sh("echo $$ > pid; exec sleep 600", { signal: stop.signal });
    const pid = await eventually(() => pidIn("pid"));
    stop.abort();
    expect((await running).end).toEqual({ type: "aborted" });
    expect(isGone(pid)).toBe(true);
    expect(await sh("echo no", { signal: stop.signal })).toEqual({ end: { type: "aborted" }, output: "" });
  });

  test("is not waited for by what it leaves behind, which finds its output closed", async () => {
    const { end, output } = await sh(
      "setsid sh -c 'while echo x; do sleep 0.02; done' & echo $! > left; echo done",
    );
    expect(end).toEqual({ type: "exited", code: 0 });
    expect(output).toContain("done");
    const left = await pidIn("left");
    await eventually(() => expect(isGone(left)).toBe(true));
  });

  test("that leaves a silent holder of its output behind ends without it, and leaves it alone", async () => {
    const { end, output } = await sh("setsid sleep 600 & echo $! > left; echo done");
    const left = await pidIn("left");
    try {
      expect({ end, output }).toEqual({ end: { type: "exited", code: 0 }, output: "done" });
      expect(isGone(left)).toBe(false);
    } finally {
      process.kill(left, "SIGKILL");
    }
  });

  test("may flood: of 200 MB of output an excerpt is left, and memory stays as it was", async () => {
    const before = process.memoryUsage.rss();
    const { end, output } = await sh("echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last");
    expect(end).toEqual({ type: "exited", code: 0 });
    expect(output.length).toBeLessThan(17_000);
    expect(output).toMatch(/^first\nx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\nlast$/);
    // Buffers that were read and let go are collected when some 64 MB of them are waiting.
    expect(process.memoryUsage.rss() - before).toBeLessThan(120_000_000);
  });
});
