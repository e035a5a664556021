/**
 * Runs one short-lived program to its end, whatever it does: floods, hangs, ignores signals, leaves children behind.
 * Knows nothing of hooks or workspaces.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { execa as Execa } from "execa";
import { Excerpt } from "./excerpt.ts";

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
const outputBytesMax = 16 * 1024;

/** After TERM: time to remove a lock file or a half-made clone. */
const termGraceMs = 2_000;

/** After KILL: only a process stuck in the kernel is still there, and nothing can be done about that one. */
const killWaitMs = 1_000;

/** A group that ends is noticed within this. */
const groupPollMs = 20;

/** After the exit: time to read what is in the pipes. Longer waits would be for a background child that holds them. */
const outputWaitMs = 500;

/** The same where the output is the result: half of it would be taken for all of it, so then the program has failed. */
const wholeOutputWaitMs = 10_000;

/** The longest delay a timer takes (about 24 days); a longer one would fire at once. */
const delayMaxMs = 2 ** 31 - 1;

/**
 * The child leads a process group of its own, which execa also kills when this process exits. Execa's own time limit
 * is not used: it is content when the leader has ended, and leaves the rest of the group unkilled.
 */
const spawn = (execa: typeof Execa, { file, args, cwd, env }: Command) =>
  execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    stdin: "ignore",
    buffer: false,
    reject: false,
    killDescendants: true,
    forceKillAfterDelay: false,
  });

type Child = ReturnType<typeof spawn>;

/**
 * Never rejects. Resolves at most `timeoutMs` and some seconds later. After a time limit or an abort the whole process
 * group has been told to end, then killed; after a normal exit, processes left in the background live on.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  // Loading execa takes some 60 ms: not a price for every start of the program, `--help` included.
  const { execa } = await import("execa");
  if (command.signal?.aborted === true) return { end: { type: "aborted" }, output: "" };
  const child = spawn(execa, command);
  const excerpt = new Excerpt(outputBytesMax);
  const onStdout = command.onStdout ?? ((chunk: Buffer) => excerpt.add(chunk));
  child.stdout.on("data", onStdout);
  child.stderr.on("data", (chunk: Buffer) => excerpt.add(chunk));

  const exited = exitOf(child);
  const cut = await firstOf(exited, command.timeoutMs, command.signal);
  if (cut !== null) await endGroup(child, exited);
  const whole = await within(command.onStdout === undefined ? outputWaitMs : wholeOutputWaitMs, child);
  if (!whole) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  return { end: await endOf(child, cut, whole || command.onStdout === undefined), output: excerpt.text() };
}

/** Settles when the program has exited or could not be started; does not wait for its output to end. */
const exitOf = (child: Child): Promise<void> =>
  new Promise((resolve) => {
    child.nodeChildProcess.once("exit", () => resolve());
    void child.then(() => resolve());
  });

/** Null when `over` came first. */
async function firstOf(
  over: Promise<void>,
  timeoutMs: number,
  signal: AbortSignal | null,
): Promise<"timeout" | "aborted" | null> {
  const done = new AbortController();
  const waits = [
    over.then(() => null),
    delay(Math.min(timeoutMs, delayMaxMs), "timeout" as const, { signal: done.signal }),
  ];
  const aborted = signal && once(signal, "abort", { signal: done.signal }).then(() => "aborted" as const);
  try {
    return await Promise.race(aborted ? [...waits, aborted] : waits);
  } finally {
    done.abort();
  }
}

/** Whether `work` settled in time. */
async function within(ms: number, work: PromiseLike<unknown>): Promise<boolean> {
  const done = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: done.signal })]);
  } finally {
    done.abort();
  }
}

async function endGroup(child: Child, exited: Promise<void>): Promise<void> {
  child.kill("SIGTERM");
  for (let waitedMs = 0; waitedMs < termGraceMs && groupLives(child.pid); waitedMs += groupPollMs)
    await delay(groupPollMs);
  if (groupLives(child.pid)) child.kill("SIGKILL");
  await within(killWaitMs, exited);
}

function groupLives(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

async function endOf(child: Child, cut: "timeout" | "aborted" | null, whole: boolean): Promise<CommandEnd> {
  if (cut !== null) return { type: cut };
  if (!whole) return { type: "timeout" };
  const { exitCode, signalCode } = child.nodeChildProcess;
  if (signalCode !== null) return { type: "killed", signal: signalCode };
  if (child.pid !== undefined && exitCode !== null) return { type: "exited", code: exitCode };
  const result = await child;
  return { type: "unstartable", error: result.originalMessage ?? result.shortMessage ?? "unknown reason" };
}
