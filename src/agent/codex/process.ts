/**
 * The agent's process: a shell command in a process group of its own. Knows bytes, pids and signals; nothing of what is
 * said.
 *
 * States: running → leaving (asked, terminated, killed: each step bounded) → ended (the process itself is no more) →
 * gone. It may end from any state by itself. `gone` is told once, when the process, its group and everything it left
 * behind are no more and its output has been read.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  type Census,
  end,
  Family,
  killQuietly,
  machine,
  type Step,
  Tail,
  wholeEntry,
  within,
} from "../../processes/processes.ts";

/** Enough for a stack trace with its context; all of it is shown with a failure. */
const STDERR_BYTES_MAX = 32 * 1024;

/** Text that was written but not yet read by the agent. The longest prompt Codex takes is a million characters. */
const BACKLOG_BYTES_MAX = 16 * 1024 * 1024;

/** What an ended process left behind is killed as long as something is found: it may fork meanwhile. */
const SWEEP_MS = 500;

/** After the process's end its output is read to the end, but not longer: somebody else may hold the pipe. */
const DRAIN_MS = 1000;

/** How long each step of the ladder may take before the next. */
export interface Patience {
  /** After its output ended: its own end comes milliseconds later, unless it means to go on. */
  readonly muteMs: number;
  /** After its input was closed. Codex needs 30 ms, and kills its commands meanwhile. */
  readonly leaveMs: number;
  /** After SIGTERM to the group. */
  readonly termMs: number;
  /** After SIGKILL to the group: only a process stuck in the kernel needs longer. */
  readonly killMs: number;
}

export const defaultPatience: Patience = { muteMs: 2000, leaveMs: 2000, termMs: 3000, killMs: 2000 };

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when it never started. */
  readonly error: Error | null;
  /** Whether the system ended processes for want of memory during its life. */
  readonly memoryShort: boolean;
}

export interface ProcessListener {
  readonly spawned: (pid: number, startTicks: number | null) => void;
  readonly output: (chunk: Buffer) => void;
  /** More waits to be read by it than it may leave unread. Told once. */
  readonly stuck: () => void;
  /** It closed its output and lives on: nothing will be heard of it any more. Told once. */
  readonly mute: () => void;
  /** Last, and once; after the last output. */
  readonly gone: (end: ProcessEnd) => void;
}

export interface Launch {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `NAME=value` entries by which its descendants are found. */
  readonly marks: readonly string[];
  readonly patience: Patience;
}

type State =
  | {
      readonly name: "running";
      /** It reads what is written for it, as far as anybody knows. */
      readonly reads: boolean;
      /** Runs when it has closed its output. */
      readonly mute: NodeJS.Timeout | null;
    }
  | { readonly name: "leaving" }
  | { readonly name: "ended"; readonly end: ProcessEnd }
  | { readonly name: "gone" };

export class AgentProcess {
  /** Without pid and streams when it could not be started. */
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  readonly #patience: Patience;
  readonly #census: Census;
  /** Entries of environments. */
  readonly #marks: string[];
  /** Itself and all that it started. */
  readonly #family: Family;
  readonly #oomKillsBefore: number;
  readonly #stderr = new Tail(STDERR_BYTES_MAX);
  readonly #ended = Promise.withResolvers<void>();
  /** Its output was read to the end. */
  readonly #closed = Promise.withResolvers<void>();
  #state: State = { name: "running", reads: true, mute: null };

  /** Starts `bash -lc <command>`. Everything is told later, nothing during construction. */
  constructor(
    { command, cwd, env, marks, patience }: Launch,
    listener: ProcessListener,
    census: Census = machine,
  ) {
    this.#listener = listener;
    this.#patience = patience;
    this.#census = census;
    this.#marks = marks.map(wholeEntry);
    this.#family = new Family({
      census,
      find: (sight) => [...this.#living(), ...sight.carriers(this.#marks)],
    });
    this.#oomKillsBefore = census.oomKills();
    this.#child = spawn("bash", ["-lc", command], { cwd, env, detached: true, stdio: "pipe" });
    this.#listen();
  }

  /** What it wrote to stderr last. */
  get stderr(): string {
    return this.#stderr.text();
  }

  /** Processes that carry this `NAME=value` belong to it as well. */
  mark(entry: string): void {
    this.#marks.push(wholeEntry(entry));
  }

  /** Writes a line. Nobody reads it when the process is gone or leaving: its end is told anyway. */
  write(line: string): void {
    const { stdin } = this.#child;
    if (this.#state.name !== "running" || !this.#state.reads || stdin?.writable !== true) return;
    stdin.write(`${line}\n`);
    if (stdin.writableLength <= BACKLOG_BYTES_MAX) return;
    this.#state = { ...this.#state, reads: false };
    this.#listener.stuck();
  }

  /** Asks it to leave, then makes it. Idempotent; `gone` follows. */
  leave(): void {
    if (this.#state.name !== "running") return;
    this.#become({ name: "leaving" });
    const { leaveMs, termMs, killMs } = this.#patience;
    void this.#finish([
      { ask: () => this.#child.stdin?.end(), waitMs: leaveMs },
      { ask: () => this.#signalGroup("SIGTERM"), waitMs: termMs },
      { ask: () => this.#signalGroup("SIGKILL"), waitMs: killMs },
    ]);
  }

  #listen(): void {
    const child = this.#child;
    child.on("spawn", () => {
      const { pid } = child;
      if (pid !== undefined) this.#listener.spawned(pid, this.#census.startOf(pid));
    });
    child.on("error", (error) => {
      // Also told when a signal could not be sent; only a process that never was has no pid.
      if (child.pid === undefined) this.#neverWas(error);
    });
    child.on("exit", (code, signal) => this.#exited(code, signal));
    child.on("close", () => this.#closed.resolve());
    child.stdout?.on("data", (chunk: Buffer) => {
      if (this.#state.name !== "gone") this.#listener.output(chunk);
    });
    child.stdout?.on("end", () => this.#outputEnded());
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    // EPIPE and ECONNRESET say what `exit` says anyway.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  }

  #outputEnded(): void {
    if (this.#state.name !== "running") return;
    const mute = setTimeout(() => this.#listener.mute(), this.#patience.muteMs);
    this.#state = { ...this.#state, mute };
  }

  #neverWas(error: Error): void {
    this.#become({ name: "gone" });
    this.#ended.resolve();
    this.#listener.gone({ code: null, signal: null, error, memoryShort: false });
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    const { name } = this.#state;
    if (name === "ended" || name === "gone") return;
    // Nobody asks it of a process that ended well; a shell tells of its child's signal by a code.
    const memoryShort = code !== 0 && this.#census.oomKills() > this.#oomKillsBefore;
    this.#become({ name: "ended", end: { code, signal, error: null, memoryShort } });
    this.#ended.resolve();
    if (name === "running") void this.#finish([]);
  }

  /** Asks, kills what is left, and tells of it. */
  async #finish(steps: readonly Step[]): Promise<void> {
    const drained = this.#ended.promise.then(() => within(DRAIN_MS, this.#closed.promise));
    await end({
      family: this.#family,
      group: this.#child.pid ?? null,
      steps,
      gone: (ms) => within(ms, this.#ended.promise),
      killMs: SWEEP_MS,
    });
    // Not even that ended it: it is reported gone, because a run that never ends helps nobody.
    this.#exited(null, "SIGKILL");
    await drained;
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    if (this.#state.name !== "ended") return;
    const { end: how } = this.#state;
    this.#become({ name: "gone" });
    this.#listener.gone(how);
  }

  #become(state: State): void {
    if (this.#state.name === "running" && this.#state.mute !== null) clearTimeout(this.#state.mute);
    this.#state = state;
  }

  /** Its pid, as long as that cannot be another's. */
  #living(): readonly number[] {
    const { pid } = this.#child;
    const { name } = this.#state;
    return pid !== undefined && (name === "running" || name === "leaving") ? [pid] : [];
  }

  #signalGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) killQuietly(-pid, signal);
  }
}
