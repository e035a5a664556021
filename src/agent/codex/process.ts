/**
 * The agent's process: a shell command in a process group of its own. Knows bytes, pids and signals; nothing of what is
 * said.
 *
 * States: starting → running → leaving (asked, terminated, killed: each step bounded) → gone. It may go from any state
 * to gone by itself. `gone` is told once, when the process, its group and everything it left behind are no more.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { Family } from "../../processes/family.ts";
import { killQuietly, markedProcesses, startTicks } from "../../processes/proc.ts";
import { oomKills } from "./oom.ts";
import { Tail } from "../../processes/tail.ts";

/** Enough for a stack trace with its context; all of it is shown with a failure. */
const STDERR_BYTES_MAX = 32 * 1024;

/** Text that was written but not yet read by the agent. The longest prompt Codex takes is a million characters. */
const BACKLOG_BYTES_MAX = 16 * 1024 * 1024;

/** What a killed process left behind is looked for again this often, as long as something is found. */
const SWEEPS_MAX = 20;
const SWEEP_PAUSE_MS = 25;

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
  /** It has not read what was written for it, beyond all measure. Told once. */
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

export class AgentProcess {
  /** Without pid and streams when it could not be started. */
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  readonly #patience: Patience;
  readonly #marks: string[];
  /** Itself and all that it started. */
  readonly #family: Family;
  readonly #oomKillsBefore = oomKills();
  readonly #stderr = new Tail(STDERR_BYTES_MAX);
  #end: ProcessEnd | null = null;
  /** What has to be over, besides the process itself, before it is gone. */
  readonly #open = new Set(["output", "descendants"]);
  #leaving = false;
  #stuck = false;
  #gone = false;
  #step: NodeJS.Timeout | undefined;
  #muted: NodeJS.Timeout | undefined;

  /** Starts `bash -lc <command>`. Everything is told later, nothing during construction. */
  constructor({ command, cwd, env, marks, patience }: Launch, listener: ProcessListener) {
    this.#listener = listener;
    this.#patience = patience;
    this.#marks = [...marks];
    this.#family = new Family(() => [...this.#living(), ...markedProcesses(this.#marks)]);
    this.#child = spawn("bash", ["-lc", command], { cwd, env, detached: true, stdio: "pipe" });
    this.#listen();
  }

  /** What it wrote to stderr last. */
  get stderr(): string {
    return this.#stderr.text();
  }

  /** Processes that carry this `NAME=value` belong to it as well. */
  mark(entry: string): void {
    this.#marks.push(entry);
  }

  /** Writes a line. Nobody reads it when the process is gone or leaving: its end is told anyway. */
  write(line: string): void {
    const { stdin } = this.#child;
    if (this.#leaving || this.#stuck || this.#end !== null || stdin?.writable !== true) return;
    stdin.write(`${line}\n`);
    if (stdin.writableLength <= BACKLOG_BYTES_MAX) return;
    this.#stuck = true;
    this.#listener.stuck();
  }

  /** Asks it to leave, then makes it. Idempotent; `gone` follows. */
  leave(): void {
    if (this.#leaving || this.#end !== null) return;
    this.#leaving = true;
    const { leaveMs, termMs, killMs } = this.#patience;
    // Looked at before each step, while they still hang on it: what it leaves behind unmarked is known by that alone.
    this.#family.look();
    this.#child.stdin?.end();
    this.#after(leaveMs, () => {
      this.#family.look();
      this.#killGroup("SIGTERM");
      this.#after(termMs, () => {
        this.#family.look();
        this.#killGroup("SIGKILL");
        // Not even that ended it: it is reported gone, because a run that never ends helps nobody.
        this.#after(killMs, () => this.#exited({ code: null, signal: "SIGKILL" }));
      });
    });
  }

  #listen(): void {
    const child = this.#child;
    child.on("spawn", () => {
      const { pid } = child;
      if (pid !== undefined) this.#listener.spawned(pid, startTicks(pid));
    });
    child.on("error", (error) => {
      // Also told when a signal could not be sent; only a process that never was has no pid.
      if (child.pid === undefined) this.#exited({ code: null, signal: null, error });
    });
    child.on("exit", (code, signal) => this.#exited({ code, signal }));
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!this.#gone) this.#listener.output(chunk);
    });
    child.stdout?.on("end", () => this.#outputEnded());
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    // EPIPE and ECONNRESET say what `exit` says anyway.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  }

  #outputEnded(): void {
    if (this.#end !== null || this.#leaving) return;
    this.#muted = setTimeout(() => {
      if (!this.#leaving) this.#listener.mute();
    }, this.#patience.muteMs);
  }

  #exited({ code, signal, error = null }: Pick<ProcessEnd, "code" | "signal"> & Partial<ProcessEnd>): void {
    if (this.#end !== null) return;
    const end = { code, signal, error, memoryShort: oomKills() > this.#oomKillsBefore };
    this.#end = end;
    clearTimeout(this.#step);
    clearTimeout(this.#muted);
    if (error !== null) return this.#listener.gone(end);
    this.#killGroup("SIGKILL");
    this.#child.once("close", () => this.#drained());
    this.#after(DRAIN_MS, () => this.#drained());
    this.#sweep(SWEEPS_MAX);
  }

  /** Repeated while it finds something: a process may fork between being found and being killed. */
  #sweep(left: number): void {
    if (this.#family.kill() > 0 && left > 0) {
      setTimeout(() => this.#sweep(left - 1), SWEEP_PAUSE_MS);
      return;
    }
    this.#open.delete("descendants");
    this.#maybeGone();
  }

  #drained(): void {
    clearTimeout(this.#step);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#open.delete("output");
    this.#maybeGone();
  }

  #maybeGone(): void {
    if (this.#open.size > 0 || this.#end === null || this.#gone) return;
    this.#gone = true;
    this.#listener.gone(this.#end);
  }

  /** Its pid, as long as that cannot be another's. */
  #living(): readonly number[] {
    const { pid } = this.#child;
    return pid === undefined || this.#end !== null ? [] : [pid];
  }

  #killGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) killQuietly(-pid, signal);
  }

  #after(ms: number, then: () => void): void {
    clearTimeout(this.#step);
    this.#step = setTimeout(then, ms);
  }
}
