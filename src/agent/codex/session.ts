/**
 * One run's conversation with one Codex process: a thread, turn after turn, until it is stopped or the process ends.
 * Its states and what leads from one to the next are in life.ts; here is what is done about it.
 */
import { statSync } from "node:fs";
import {
  type FactBody,
  failure,
  type Failure,
  type Instant,
  type ThreadId,
  type UnderWay,
} from "../../domain/domain.ts";
import { SHELL_HANGS, SHELL_MAX_MS, type Shell } from "../../processes/processes.ts";
import type { AgentNews, AgentSession, AgentSpec, Pulse } from "../port.ts";
import { agentEnvironment, agentMark, threadMark } from "./environment.ts";
import { Children } from "./children.ts";
import { exitFailure, type Stage, whileResuming } from "./failures.ts";
import { gitRoots } from "./git-roots.ts";
import { Hearing } from "./hearing.ts";
import { threadName, turnStart } from "./launch-options.ts";
import { type Deed, type Happening, type Life, newLife, next, type OpenThread, threadOf } from "./life.ts";
import { type Ask, type Opened, openThread } from "./opening.ts";
import type { AgentProcess, Launch, Patience, ProcessListener } from "./process.ts";
import { Questions } from "./questions.ts";
import { Rpc } from "./rpc.ts";
import { turnSandbox } from "./sandbox.ts";
import { missingStrays, removeStrays, type Strays } from "./strays.ts";
import { Turn, type TurnEnd, type TurnParts } from "./turn.ts";

export interface SessionPatience extends Patience {
  /** For an interrupt to end the turn. */
  readonly interruptMs: number;
  /** For agents of the model's own to come to their end, once the turn that started them is complete. */
  readonly childrenMs: number;
  /** For Codex to end the commands that turns left behind. */
  readonly cleanMs: number;
}

export interface SessionParts {
  readonly clock: () => Instant;
  /** The daemon's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Baton's own version. */
  readonly version: string;
  readonly patience: SessionPatience;
  /** Threads that live sessions have, of all runs. */
  readonly threads: Set<ThreadId>;
  /** Starts the process; what it says comes later, nothing before this returns. */
  readonly launch: (launch: Launch, listener: ProcessListener) => Transport;
  /** How long a login shell takes to begin; null = it hangs. */
  readonly loginShellMs: (shell: Shell) => Promise<number | null>;
}

/** What a session needs of its process. */
export type Transport = Pick<AgentProcess, "write" | "leave" | "mark" | "stderr">;

export class CodexSession implements AgentSession {
  readonly #spec: AgentSpec;
  readonly #parts: SessionParts;
  readonly #listener: (news: AgentNews) => void;
  readonly #rpc: Rpc;
  readonly #hearing: Hearing;
  readonly #questions: Questions;
  readonly #children: Children;
  readonly #abort = new AbortController();
  /** Its own, and those of its children. */
  readonly #threads: ThreadId[] = [];
  /** Directories that were not there before the agent. */
  readonly #strays: Strays | null;
  readonly #env: Readonly<Record<string, string>>;
  #process: Transport | null = null;
  #life: Life = newLife;
  /** A thread of before has been asked for, and Codex has not answered. */
  #resuming = false;
  /** The turn that `#life` speaks of, ours or a stray one. */
  #turn: Turn | null = null;

  /** Launches the process. Nothing is told during construction. */
  constructor(spec: AgentSpec, parts: SessionParts, listener: (news: AgentNews) => void) {
    this.#spec = spec;
    this.#parts = parts;
    this.#listener = listener;
    this.#children = new Children({
      ask: this.#ask,
      interruptMs: parts.patience.interruptMs,
      own: () => threadOf(this.#life),
      inTurn: () => this.#turn !== null,
      found: (thread) => this.#own(thread),
      warn: (message) => this.#fact({ type: "warning", message }),
    });
    this.#hearing = new Hearing({
      clock: parts.clock,
      thread: () => threadOf(this.#life),
      turn: () => this.#turn,
      turnStarted: (id) => this.#happened({ type: "turn_started", id }),
      children: this.#children,
      garbled: (why) => this.stop(why),
      tell: (news) => this.#tell(news),
    });
    const hearing = this.#hearing;
    this.#rpc = new Rpc((lines) => this.#process?.write(lines), {
      delta: () => hearing.alive(),
      notified: (method, params) => hearing.notified(method, params),
      asked: (id, method, params) => {
        hearing.alive();
        this.#questions.take(id, method, params);
      },
      malformed: (error, line) => hearing.malformed(error, line),
      unclaimed: (id) => hearing.unclaimed(id),
    });
    this.#questions = new Questions({
      rpc: this.#rpc,
      spec,
      clock: parts.clock,
      signal: () => this.#turn?.signal ?? this.#abort.signal,
      tell: (fact) => this.#fact(fact),
      park: (why) => this.stop(why),
    });
    const { workspace, codex, secrets, mark } = spec;
    this.#env = agentEnvironment(parts.env, codex, secrets, mark);
    const isThere = isDirectory(workspace);
    this.#strays = isThere ? missingStrays(workspace) : null;
    if (isThere) this.#process = this.#launch();
    else {
      this.stop(failure("invalid_workspace_cwd", `The workspace ${workspace} is not a directory.`));
      queueMicrotask(() => this.#happened({ type: "settled" }));
    }
  }

  turn(text: string): void {
    this.#happened({ type: "asked", text });
  }

  steer(text: string): Promise<boolean> {
    return this.#turn?.steer(text) ?? Promise.resolve(false);
  }

  stop(why: Failure | null): void {
    this.#happened({ type: "stopped", why });
  }

  pulse(): Pulse {
    return this.#hearing.pulse();
  }

  underWay(): readonly UnderWay[] {
    return this.#hearing.underWay();
  }

  #happened(happening: Happening): void {
    const [life, deeds] = next(this.#life, happening);
    this.#life = life;
    for (const deed of deeds) this.#do(deed);
  }

  #do(deed: Deed): void {
    switch (deed.type) {
      case "open":
        return this.#open();
      case "begin":
        return this.#begin(deed.thread, deed.text);
      case "name_turn":
        return this.#turn?.is(deed.id) === true ? this.#turn.begun(deed.id) : undefined;
      case "refuse_stray":
        return this.#refuse(deed.thread.id, deed.id);
      case "interrupt":
        return this.#turn?.interrupt(deed.why);
      case "tell_turn_ended":
        return this.#tell({ type: "turn_ended", ...deed.end });
      case "warn":
        return this.#fact({ type: "warning", message: deed.message });
      case "leave":
        return this.#leave(deed.thread);
      case "settle":
        return this.#settle(deed.why);
      case "tell_exited":
        this.#abort.abort();
        for (const thread of this.#threads) this.#parts.threads.delete(thread);
        return this.#listener({ type: "exited", failure: deed.why });
    }
  }

  #launch(): Transport {
    const { workspace, codex, mark } = this.#spec;
    const launch = {
      command: codex.command,
      cwd: workspace,
      env: this.#env,
      marks: [agentMark(mark)],
      patience: this.#parts.patience,
    };
    return this.#parts.launch(launch, {
      spawned: (pid, startTicks) => {
        this.#tell({ type: "launched", pid, startTicks });
        this.#happened({ type: "spawned" });
      },
      output: (chunk) => this.#rpc.push(chunk),
      stuck: () =>
        this.stop(this.#asItIs(failure("response_timeout", "The agent has stopped reading its input."))),
      mute: () => this.stop(this.#asItIs(muteFailure)),
      gone: (end) => {
        const stderr = this.#process?.stderr ?? "";
        const why = (stage: Stage): Failure => this.#asItIs(exitFailure(end, stage, codex.command, stderr));
        this.#happened({ type: "gone", why });
      },
    });
  }

  #open(): void {
    openThread({
      ask: (method, params, done) => {
        this.#resuming = method === "thread/resume";
        this.#ask(method, params, (answer) => {
          this.#resuming = false;
          done(answer);
        });
      },
      notify: (method) => {
        this.#happened({ type: "greeted" });
        this.#rpc.notify(method);
      },
      spec: this.#spec,
      env: this.#env,
      version: this.#parts.version,
      opened: (opened) => this.#opened(opened),
      failed: (why) => void this.#notOpened(why),
    });
  }

  /** Of a program that has said nothing at all it may be that bash's profile never let it begin. */
  async #notOpened(why: Failure): Promise<void> {
    const isMute = why.kind === "response_timeout" && this.#life.phase === "opening" && !this.#life.greeted;
    const { loginShellMs } = this.#parts;
    const hangs =
      isMute &&
      loginShellMs !== undefined &&
      (await loginShellMs({ cwd: this.#spec.workspace, env: this.#env })) === null;
    this.stop(hangs ? failure("shell_timeout", SHELL_DID, { hint: SHELL_HANGS }) : why);
  }

  /** A thread that ends Codex, or makes it mute, is told apart from a Codex that does not work. */
  readonly #asItIs = (why: Failure): Failure => (this.#resuming ? whileResuming(why) : why);

  readonly #ask: Ask = (method, params, done) =>
    this.#rpc.request(method, params, this.#spec.codex.readTimeoutMs, done);

  #opened({ threadId, resumed, why, config }: Opened): void {
    if (this.#life.phase !== "opening") return;
    if (!this.#own(threadId)) return this.stop(takenFailure(threadId));
    const { workspace, codex } = this.#spec;
    const sandbox = turnSandbox(codex, config, codex.writableGit ? gitRoots(workspace) : []);
    this.#happened({ type: "opened", thread: { id: threadId, sandbox } });
    // A name is for people who look into Codex's list of threads; nothing depends on it.
    this.#ask("thread/name/set", { threadId, name: threadName(this.#spec) }, () => {});
    this.#tell({ type: "opened", threadId, resumed, why });
  }

  /** By a thread's name its commands are found and ended: one that another run has must not be taken. */
  #own(thread: ThreadId): boolean {
    const { threads } = this.#parts;
    if (threads.has(thread)) return false;
    threads.add(thread);
    this.#threads.push(thread);
    this.#process?.mark(threadMark(thread));
    return true;
  }

  #begin({ id, sandbox }: OpenThread, text: string): void {
    const turn = this.#newTurn(
      id,
      (turnId) => this.#tell({ type: "turn_started", turnId }),
      (end) => {
        this.#hearing.turnEnded();
        this.#happened({ type: "turn_ended", end });
      },
    );
    this.#hearing.turnAsked();
    turn.begin(turnStart(this.#spec, id, sandbox, text), this.#spec.codex.turnTimeoutMs);
  }

  #refuse(thread: ThreadId, id: string): void {
    const turn = this.#newTurn(
      thread,
      () => {},
      () => this.#happened({ type: "stray_ended" }),
    );
    turn.begun(id);
    turn.interrupt(failure("protocol_violation", "A turn that Codex began by itself did not end."));
  }

  #newTurn(thread: ThreadId, started: TurnParts["started"], ended: (end: TurnEnd) => void): Turn {
    this.#turn = new Turn({
      ask: this.#ask,
      threadId: thread,
      interruptMs: this.#parts.patience.interruptMs,
      childrenMs: this.#parts.patience.childrenMs,
      resetsAt: () => this.#hearing.resetsAt(),
      silentMs: () => this.#hearing.silentMs(),
      children: this.#children,
      started,
      ended: (end) => {
        this.#turn = null;
        ended(end);
      },
      stuck: (why) => this.stop(why),
    });
    return this.#turn;
  }

  #leave(thread: OpenThread | null): void {
    if (thread === null) return this.#process?.leave();
    // Commands outlive turns and interrupts; Codex ends them when asked, or else with itself.
    this.#rpc.request(
      "thread/backgroundTerminals/clean",
      { threadId: thread.id },
      this.#parts.patience.cleanMs,
      () => this.#process?.leave(),
    );
  }

  #settle(why: Failure | null): void {
    this.#rpc.close();
    this.#turn?.lost(why);
    if (this.#strays !== null) removeStrays(this.#strays);
    this.#happened({ type: "settled" });
  }

  #fact(fact: FactBody): void {
    this.#tell({ type: "fact", fact });
  }

  /** `exited` is the last that is told. */
  #tell(news: AgentNews): void {
    if (this.#life.phase !== "over") this.#listener(news);
  }
}

const takenFailure = (thread: ThreadId): Failure =>
  failure("protocol_violation", `Codex opened thread ${thread}, which another run has open.`, {
    hint: "codex.command has to start `codex app-server` itself; what it starts gives one thread to two runs.",
  });

const SHELL_DID = `codex.command did not begin: the login shell hangs, \`bash -lc true\` did not come back within ${SHELL_MAX_MS} ms either.`;

const muteFailure = failure(
  "port_exit",
  "The agent closed its output and did not end: nothing more would have been heard of it.",
  { hint: "codex.command has to leave stdout open for as long as `codex app-server` runs." },
);

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
