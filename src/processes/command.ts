/**
 * Runs one short-lived program to its end, whatever it does: floods, hangs, ignores signals, leaves children behind.
 * Knows nothing of hooks or workspaces.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { end, eventually } from "./ending.ts";
import { Excerpt } from "./excerpt.ts";
import { Family } from "./family.ts";
import { groupLives, killQuietly } from "./kill.ts";
import { machine } from "./machine.ts";
import { endsAlone, endsWithUs } from "./with-us.ts";
import { within } from "./within.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null;
  /** Gets the standard output, which then is not part of `output`. Called as it comes, in pieces of any length. */
  readonly onStdout?: (chunk: Buffer) => void;
}

export type CommandEnd =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "timeout" }
  | { readonly type: "aborted" }
  | { readonly type: "unstartable"; readonly error: string };

export interface CommandResult {
  readonly end: CommandEnd;
  /** Both output streams as they came (without what `onStdout` got), the middle left out when long. */
  readonly output: string;
}

/** Enough for the last screen of a build and its first lines; small enough for a ledger row per hook. */
const OUTPUT_BYTES_MAX = 16 * 1024;

/** After TERM: time to remove a lock file or a half-made clone. */
const TERM_GRACE_MS = 2_000;

/** After KILL: only a process stuck in the kernel is still there, and nothing can be done about that one. */
const KILL_WAIT_MS = 1_000;

/** After the exit: time to read what is in the pipes. Longer waits would be for a background child that holds them. */
const OUTPUT_WAIT_MS = 500;

/** The same where the output is the result: half of it would be taken for all of it, so then the program has failed. */
const WHOLE_OUTPUT_WAIT_MS = 10_000;

/** The longest delay a timer takes (about 24 days); a longer one would fire at once. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** The child leads a process group of its own, which does not outlive this process. */
function start({ file, args, cwd, env }: Command): Child {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) endsWithUs(child.pid);
  return child;
}

type Child = ReturnType<typeof spawn> & { readonly stdout: Readable; readonly stderr: Readable };

/**
 * Never rejects. Resolves at most `timeoutMs` and some seconds later. After a time limit or an abort the whole process
 * group has been told to end, then killed with what hangs on it; after a normal exit, processes left in the background
 * live on.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  if (command.signal?.aborted === true) return { end: { type: "aborted" }, output: "" };
  let child: Child;
  try {
    child = start(command);
  } catch (error) {
    // Some of what keeps a program from starting is thrown, such as E2BIG; the rest is an event.
    return { end: unstartable(error, command.cwd), output: "" };
  }
  // Before anything else: a child that could not be started, with no file descriptor left say, has no outputs either.
  const exited = exitOf(child);
  if (child.pid === undefined) return { end: unstartable(await exited, command.cwd), output: "" };
  const excerpt = new Excerpt(OUTPUT_BYTES_MAX);
  const onStdout = command.onStdout ?? ((chunk: Buffer) => excerpt.add(chunk));
  child.stdout.on("data", onStdout);
  child.stderr.on("data", (chunk: Buffer) => excerpt.add(chunk));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));

  const cut = await firstOf(exited, command.timeoutMs, command.signal);
  if (cut !== null) await endGroup(child, exited);
  const whole = await within(command.onStdout === undefined ? OUTPUT_WAIT_MS : WHOLE_OUTPUT_WAIT_MS, closed);
  if (!whole) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  endsAlone(child.pid);
  return { end: endOf(child, cut, whole || command.onStdout === undefined), output: excerpt.text() };
}

/** Settles when the program has exited, or with why it could not be started; does not wait for its output to end. */
const exitOf = (child: Child): Promise<Error | null> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve(null));
    child.on("error", (error) => {
      // Also told when a signal could not be sent; only a process that never was has no pid.
      if (child.pid === undefined) resolve(error);
    });
  });

/** Null when `over` came first. */
async function firstOf(
  over: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal | null,
): Promise<"timeout" | "aborted" | null> {
  const done = new AbortController();
  const waits = [
    over.then(() => null),
    delay(Math.min(timeoutMs, DELAY_MAX_MS), "timeout" as const, { signal: done.signal }),
  ];
  const aborted = signal && once(signal, "abort", { signal: done.signal }).then(() => "aborted" as const);
  try {
    return await Promise.race(aborted ? [...waits, aborted] : waits);
  } finally {
    done.abort();
  }
}

async function endGroup({ pid }: Child, exited: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  const family = new Family({ census: machine, find: (sight) => sight.membersOf(pid) });
  // The dead are of the group until somebody reaps them, which may take process 1 of a container its time.
  const isOver = (): boolean => !groupLives(pid) || family.look().length === 0;
  const gone = (ms: number): Promise<boolean> => eventually(ms, isOver);
  const term = { ask: () => killQuietly(-pid, "SIGTERM"), waitMs: TERM_GRACE_MS };
  await end({ family, group: pid, steps: [term], gone, killMs: KILL_WAIT_MS });
  await within(KILL_WAIT_MS, exited);
}

function endOf(
  { exitCode, signalCode }: Child,
  cut: "timeout" | "aborted" | null,
  whole: boolean,
): CommandEnd {
  if (cut !== null) return { type: cut };
  if (!whole) return { type: "timeout" };
  if (signalCode !== null) return { type: "killed", signal: signalCode };
  if (exitCode !== null) return { type: "exited", code: exitCode };
  // It has been heard of as ended, so it has one or the other.
  return { type: "unstartable", error: "it ended in a way nobody was told of" };
}

/** A working directory that is not there is told by the system as if it were the program. */
const unstartable = (error: unknown, cwd: string): CommandEnd => ({
  type: "unstartable",
  error: `${error instanceof Error ? error.message : String(error)}${existsSync(cwd) ? "" : ` (there is no ${cwd})`}`,
});
