/**
 * One run's conversation with one Codex process: a thread, turn after turn, until it is stopped or the process ends.
 *
 * States: starting (no process yet) → opening (handshake) → idle ⇄ turn → ending (stopped: interrupt, clean, leave) →
 * over (`exited` was told). The process may end in any of them. The first reason for ending wins.
 */
import { statSync } from "node:fs";
import type { FactBody } from "../../domain/fact.ts";
import { failure, type Failure } from "../../domain/failure.ts";
import type { ThreadId } from "../../domain/run.ts";
import type { Instant } from "../../domain/time.ts";
import type { AgentNews, AgentSession, AgentSpec, Pulse } from "../port.ts";
import { agentEnvironment, agentMark, threadMark } from "./environment.ts";
import { exitFailure, type Stage } from "./failures.ts";
import { gitRoots } from "./git-roots.ts";
import { threadName, turnStart } from "./launch-options.ts";
import { fieldsOf, idOf, textOf, type Fields } from "./message.ts";
import { Notices } from "./notices.ts";
import { OlderShapes } from "./older.ts";
import { openThread, type Ask, type Opened } from "./opening.ts";
import type { AgentProcess, Launch, Patience, ProcessEnd, ProcessListener } from "./process.ts";
import { Questions } from "./questions.ts";
import { Rpc } from "./rpc.ts";
import { turnSandbox } from "./sandbox.ts";
import { missingStrays, removeStrays } from "./strays.ts";
import { Turn, type TurnEnd } from "./turn.ts";

/** Lines that are no messages: a login profile may print a page, an agent that prints on is none. */
const MALFORMED_MAX = 100;

export interface SessionPatience extends Patience {
  /** For an interrupt to end the turn. */
  readonly interruptMs: number;
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
  /** Starts the process; what it says comes later, nothing before this returns. */
  readonly launch: (launch: Launch, listener: ProcessListener) => Transport;
}

/** What a session needs of its process. */
export type Transport = Pick<AgentProcess, "write" | "leave" | "mark" | "stderr">;

export class CodexSession implements AgentSession {
  readonly #spec: AgentSpec;
  readonly #parts: SessionParts;
  readonly #listener: (news: AgentNews) => void;
  readonly #rpc: Rpc;
  readonly #notices: Notices;
  readonly #older = new OlderShapes();
  readonly #questions: Questions;
  readonly #abort = new AbortController();
  #process: Transport | null = null;
  #greeted = false;
  #signAt: Instant;
  #malformed = 0;
  #strays: readonly string[] = [];
  #sandbox: Fields = {};
  #thread: ThreadId | null = null;
  #turn: Turn | null = null;
  /** A turn nobody here asked for: it is interrupted, and ours waits for its end. */
  #stray: Turn | null = null;
  #waiting: string | null = null;
  #stopped: { readonly why: Failure | null } | null = null;
  #over = false;

  /** Launches the process. Nothing is told during construction. */
  constructor(spec: AgentSpec, parts: SessionParts, listener: (news: AgentNews) => void) {
    this.#spec = spec;
    this.#parts = parts;
    this.#listener = listener;
    this.#signAt = parts.clock();
    this.#notices = new Notices((news) => this.#tell(news));
    this.#rpc = new Rpc((line) => this.#process?.write(line), {
      delta: () => this.#alive(),
      notified: (method, params) => this.#notified(method, params),
      asked: (id, method, params) => {
        this.#alive();
        this.#questions.take(id, method, params);
      },
      malformed: (error, line) => this.#garbage(error, line),
      unclaimed: (id) => this.#notices.unknown(`answer to request ${id ?? "without id"}`),
    });
    this.#questions = new Questions({
      rpc: this.#rpc,
      spec,
      clock: parts.clock,
      signal: () => this.#turn?.signal ?? this.#abort.signal,
      tell: (fact) => this.#fact(fact),
      park: (why) => this.stop(why),
    });
    this.#launch();
  }

  turn(text: string): void {
    if (this.#stopped !== null || this.#thread === null) return;
    if (this.#turn !== null) {
      return this.#fact({
        type: "warning",
        message: "A turn was asked for while one was running; it was not.",
      });
    }
    if (this.#stray === null) this.#begin(this.#thread, text);
    else this.#waiting = text;
  }

  steer(text: string): Promise<boolean> {
    return this.#turn?.steer(text) ?? Promise.resolve(false);
  }

  stop(why: Failure | null): void {
    if (this.#stopped !== null) return;
    this.#stopped = { why };
    if (this.#turn !== null) this.#turn.interrupt(why);
    else this.#leave();
  }

  pulse(): Pulse {
    return { signAt: this.#signAt, openItems: this.#notices.items.count };
  }

  #launch(): void {
    const { workspace, codex, secrets, mark } = this.#spec;
    if (!isDirectory(workspace)) {
      const why = failure("invalid_workspace_cwd", `The workspace ${workspace} is not a directory.`);
      this.#stopped = { why };
      queueMicrotask(() => this.#exit());
      return;
    }
    this.#strays = missingStrays(workspace);
    const launch = {
      command: codex.command,
      cwd: workspace,
      env: agentEnvironment(this.#parts.env, codex.envPass, secrets, mark),
      marks: [agentMark(mark)],
      patience: this.#parts.patience,
    };
    this.#process = this.#parts.launch(launch, {
      spawned: (pid, startTicks) => this.#spawned(pid, startTicks),
      output: (chunk) => this.#rpc.push(chunk),
      stuck: () => this.stop(failure("response_timeout", "The agent has stopped reading its input.")),
      mute: () => this.stop(muteFailure),
      gone: (end) => this.#gone(end),
    });
  }

  #spawned(pid: number, startTicks: number | null): void {
    this.#tell({ type: "launched", pid, startTicks });
    if (this.#stopped !== null) return;
    openThread({
      ask: this.#ask,
      notify: (method) => {
        this.#greeted = true;
        this.#rpc.notify(method);
      },
      spec: this.#spec,
      version: this.#parts.version,
      opened: (opened) => this.#opened(opened),
      failed: (why) => this.stop(why),
    });
  }

  readonly #ask: Ask = (method, params, done) =>
    this.#rpc.request(method, params, this.#spec.codex.readTimeoutMs, done);

  #opened({ threadId, resumed, why, config }: Opened): void {
    if (this.#stopped !== null) return;
    const { workspace, codex } = this.#spec;
    this.#thread = threadId;
    this.#process?.mark(threadMark(threadId));
    this.#sandbox = turnSandbox(codex, config, codex.writableGit ? gitRoots(workspace) : []);
    // A name is for people who look into Codex's list of threads; nothing depends on it.
    this.#ask("thread/name/set", { threadId, name: threadName(this.#spec) }, () => {});
    this.#tell({ type: "opened", threadId, resumed, why });
  }

  #begin(thread: ThreadId, text: string): void {
    this.#turn = this.#newTurn(thread, (end) => this.#turnEnded(end));
    this.#turn.begin(turnStart(this.#spec, thread, this.#sandbox, text), this.#spec.codex.turnTimeoutMs);
  }

  #newTurn(thread: ThreadId, ended: (end: TurnEnd) => void, isOurs = true): Turn {
    return new Turn({
      ask: this.#ask,
      threadId: thread,
      interruptMs: this.#parts.patience.interruptMs,
      resetsAt: () => this.#notices.limits.resetsAt(this.#parts.clock()),
      started: (turnId) => isOurs && this.#tell({ type: "turn_started", turnId }),
      ended,
      stuck: (why) => this.stop(why),
    });
  }

  #turnEnded(end: TurnEnd): void {
    this.#turn = null;
    this.#notices.items.clear();
    this.#tell({ type: "turn_ended", ...end });
    if (this.#stopped !== null) this.#leave();
  }

  /**
   * A turn that begins by itself: some older version's goals, which cannot be switched off there. It would spend
   * tokens outside all limits, so it is not adopted.
   */
  #strayTurn(thread: ThreadId, id: string): void {
    if (this.#stray !== null || this.#stopped !== null) return;
    this.#fact({ type: "warning", message: "Codex began a turn by itself; it was interrupted." });
    this.#stray = this.#newTurn(thread, () => this.#strayEnded(), false);
    this.#stray.begun(id);
    this.#stray.interrupt(failure("protocol_violation", "A turn that Codex began by itself did not end."));
  }

  #strayEnded(): void {
    this.#stray = null;
    const text = this.#waiting;
    this.#waiting = null;
    if (text !== null) this.turn(text);
  }

  #leave(): void {
    const thread = this.#thread;
    if (thread === null) return this.#process?.leave();
    // Commands outlive turns and interrupts; Codex ends them when asked, or else with itself.
    this.#rpc.request(
      "thread/backgroundTerminals/clean",
      { threadId: thread },
      this.#parts.patience.cleanMs,
      () => this.#process?.leave(),
    );
  }

  #notified(method: string, params: Fields): void {
    for (const notice of this.#older.translate(method, params)) this.#heard(notice.method, notice.params);
  }

  #heard(method: string, params: Fields): void {
    // Trying again for hours is not life.
    if (method !== "error" || params["willRetry"] !== true) this.#alive();
    const turn = fieldsOf(params["turn"]);
    const id = idOf(turn["id"]);
    if (method === "turn/started") return this.#isOwn(params) ? this.#turnStarted(id) : undefined;
    if (method === "turn/completed") return this.#isOwn(params) ? this.#turnCompleted(id, turn) : undefined;
    if (this.#isOwn(params)) this.#listen(method, params);
    this.#notices.take(method, params, this.#thread);
  }

  /** Agents of the model's own run as threads of their own, and their turns are not ours. */
  #isOwn(params: Fields): boolean {
    const thread = textOf(params["threadId"]);
    return thread === null || thread === this.#thread;
  }

  #turnStarted(id: string | null): void {
    if (id === null || this.#thread === null) return;
    if (this.#turn === null) this.#strayTurn(this.#thread, id);
    else if (this.#turn.is(id)) this.#turn.begun(id);
  }

  #turnCompleted(id: string | null, turn: Fields): void {
    if (this.#turn?.is(id) === true) this.#turn.completed(turn);
    else if (this.#stray?.is(id) === true) this.#stray.completed(turn);
  }

  /** What the running turn wants to know of other notices. */
  #listen(method: string, params: Fields): void {
    if (method === "error" && params["willRetry"] !== true) return this.#turn?.erred(params["error"]);
    if (method !== "item/completed") return;
    const item = fieldsOf(params["item"]);
    if (item["type"] === "agentMessage") this.#turn?.said(textOf(item["text"]) ?? "");
  }

  #garbage(error: string, line: string): void {
    if (++this.#malformed <= MALFORMED_MAX) return this.#fact({ type: "malformed", error, line });
    this.stop(
      failure(
        "protocol_violation",
        `The agent wrote more than ${MALFORMED_MAX} lines that are no messages.`,
        {
          hint: "codex.command has to start `codex app-server`, and nothing else may write to its stdout.",
          detail: line,
        },
      ),
    );
  }

  #gone(end: ProcessEnd): void {
    const stderr = this.#process?.stderr ?? "";
    // Whatever fails from here on fails because of this.
    this.#stopped ??= { why: exitFailure(end, this.#stage(), this.#spec.codex.command, stderr) };
    this.#rpc.close();
    this.#turn?.lost(this.#stopped.why);
    this.#stray?.lost(null);
    removeStrays(this.#strays);
    this.#exit();
  }

  #stage(): Stage {
    if (this.#thread === null) return this.#greeted ? "opening" : "silent";
    return this.#turn === null ? "idle" : "turn";
  }

  #exit(): void {
    this.#abort.abort();
    this.#tell({ type: "exited", failure: this.#stopped?.why ?? null });
    this.#over = true;
  }

  #alive(): void {
    this.#signAt = this.#parts.clock();
  }

  #fact(fact: FactBody): void {
    this.#tell({ type: "fact", fact });
  }

  #tell(news: AgentNews): void {
    if (!this.#over) this.#listener(news);
  }
}

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
