/**
 * A session without a process, with a host that asks for turns as the daemon does, and a judge who hears all: what the
 * session tells, what it writes, and how it ends.
 */
import { setImmediate as soon } from "node:timers/promises";
import type { AgentNews, AgentTool } from "../../../src/agent/port.ts";
import { defaultPatience, type ProcessListener } from "../../../src/agent/codex/process.ts";
import { CHILDREN_MS } from "../../../src/agent/codex/turn.ts";
import { CodexSession } from "../../../src/agent/codex/session.ts";
import { failureOutcome, type Failure } from "../../../src/domain/failure.ts";
import { threadId } from "../../../src/domain/run.ts";
import type { CodexSettings, PolicySettings } from "../../../src/domain/settings.ts";
import { instant } from "../../../src/domain/time.ts";
import { codexSettings } from "../../unit/agent/heard.ts";
import type { VirtualTimers } from "./timers.ts";

export type Fields = { readonly [name: string]: unknown };

export interface HostOptions {
  readonly approvals: PolicySettings["approvals"]["mode"];
  readonly turns: number;
  readonly resumes: boolean;
  /** Gets what the session writes. */
  readonly wrote?: (message: Fields) => void;
  readonly heard?: (news: AgentNews) => void;
}

/** What went wrong, counted over all sessions. */
export interface Faults {
  crashed: number;
  hung: number;
  unnamed: number;
  /** Approvals given that the policy does not give. */
  wronglyApproved: number;
  /** News that would break who keeps it: too large, or with numbers no ledger takes. */
  unkeepable: number;
  /** News after the last, a second ending, a turn without an end. */
  disorderly: number;
  /** Requests of the agent that were not answered, or more often than asked. */
  unanswered: number;
}

/** What all sessions have in common. */
export interface Ground {
  readonly timers: VirtualTimers;
  readonly workspace: string;
  readonly faults: Faults;
}

export const noFaults = (): Faults => ({
  crashed: 0,
  hung: 0,
  unnamed: 0,
  wronglyApproved: 0,
  unkeepable: 0,
  disorderly: 0,
  unanswered: 0,
});

const TURN_MS = 600_000;
const READ_MS = 5_000;
const INTERRUPT_MS = 5_000;
const CLEAN_MS = 2_000;
/** The process leaves so long after it was asked. */
const LEAVE_MS = 30;
/** All of the session's own timeouts, one after the other: opening, a turn, its interrupt, cleaning, leaving. */
const BOUND_MS = TURN_MS + CHILDREN_MS + 60 * READ_MS + 2 * INTERRUPT_MS + CLEAN_MS + LEAVE_MS;
/** A hundred paths of a thousand characters are the longest thing that is told. */
const NEWS_CHARS_MAX = 120_000;

const settings: CodexSettings = {
  ...codexSettings,
  command: "codex app-server",
  turnTimeoutMs: TURN_MS,
  readTimeoutMs: READ_MS,
};

const tool: AgentTool = {
  name: "linear_graphql",
  description: "Asks the tracker.",
  inputSchema: { type: "object" },
  call: () => Promise.resolve({ ok: true, text: "{}" }),
};

export class Host {
  readonly session: CodexSession;
  readonly #timers: VirtualTimers;
  readonly #options: HostOptions;
  readonly #faults: Faults;
  #listener: ProcessListener | null = null;
  #turnsLeft: number;
  /** Asked for; a session that was stopped meanwhile does not begin it, and only ends. */
  #inTurn = false;
  #turnStarted = false;
  #left = false;
  #gone = false;
  #reachedTurn = false;
  #exits = 0;
  #ending: Failure | null = null;

  constructor({ timers, workspace, faults }: Ground, options: HostOptions) {
    this.#timers = timers;
    this.#options = options;
    this.#faults = faults;
    this.#turnsLeft = options.turns;
    const patience = {
      ...defaultPatience,
      interruptMs: INTERRUPT_MS,
      childrenMs: CHILDREN_MS,
      cleanMs: CLEAN_MS,
    };
    this.session = new CodexSession(
      {
        mark: "none.r1",
        identifier: "A-1",
        title: "A ticket",
        workspace,
        resume: options.resumes ? threadId("thread-before") : null,
        codex: settings,
        policy: {
          approvals: { mode: options.approvals, timeoutMs: 1000, onTimeout: "deny" },
          questions: { mode: "decline" },
        },
        tools: [tool],
        secrets: [],
      },
      {
        clock: () => instant(timers.now),
        env: {},
        version: "0",
        patience,
        threads: new Set(),
        loginShellMs: () => Promise.resolve(0),
        launch: (_, listener) => {
          this.#listener = listener;
          return {
            stderr: "",
            mark: () => {},
            write: (line) => this.#wrote(line),
            leave: () => this.#leave(),
          };
        },
      },
      (news) => this.#heard(news),
    );
    this.try(() => this.#listener?.spawned(1, 1));
  }

  get over(): boolean {
    return this.#exits > 0;
  }

  /** A turn was asked for, and has not ended. */
  get inTurn(): boolean {
    return this.#inTurn;
  }

  get reachedTurn(): boolean {
    return this.#reachedTurn;
  }

  /** `completed`, or the kind of the failure. */
  get ending(): string {
    return this.#ending?.kind ?? "completed";
  }

  push(bytes: Buffer): void {
    if (!this.#gone) this.try(() => this.#listener?.output(bytes));
  }

  /** The process ends by itself. */
  die(code: number): void {
    if (this.#gone) return;
    this.#gone = true;
    this.try(() => this.#listener?.gone({ code, signal: null, error: null, memoryShort: false }));
  }

  /** Nothing more comes: by its own timeouts, or by being stopped when it is idle, the session must end. */
  async finish(): Promise<void> {
    await soon();
    this.try(() => this.#timers.pass(READ_MS));
    if (!this.#inTurn) this.try(() => this.session.stop(null));
    this.try(() => this.#timers.pass(BOUND_MS));
    await soon();
    if (this.#exits === 0) this.#faults.hung += 1;
    if (this.#exits > 1 || this.#turnStarted) this.#faults.disorderly += 1;
    if (this.#timers.pending > 0) this.#faults.hung += 1;
    this.#timers.clear();
  }

  /** Whatever it throws would have ended the daemon. */
  try(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#faults.crashed += 1;
      process.stderr.write(`crashed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }

  #heard(news: AgentNews): void {
    this.#options.heard?.(news);
    if (this.#exits > 0) this.#faults.disorderly += 1;
    if (!isKeepable(news)) this.#faults.unkeepable += 1;
    switch (news.type) {
      case "opened":
        return this.#next(null);
      case "turn_ended":
        if (!this.#inTurn) this.#faults.disorderly += 1;
        this.#inTurn = false;
        this.#turnStarted = false;
        this.#judge(news.failure, news.status !== "completed");
        return this.#next(news.failure);
      case "exited":
        this.#exits += 1;
        this.#ending = news.failure;
        this.#judge(news.failure, false);
        return;
      case "turn_started":
        if (!this.#inTurn || this.#turnStarted) this.#faults.disorderly += 1;
        this.#turnStarted = true;
        this.#reachedTurn = true;
        return;
      case "launched":
      case "usage":
      case "fact":
    }
  }

  /** As the daemon does: another turn, or the end with what ended the last one. */
  #next(why: Failure | null): void {
    if (why !== null || this.#turnsLeft === 0) return this.session.stop(why);
    this.#turnsLeft -= 1;
    this.#inTurn = true;
    this.session.turn("Do it.");
  }

  #judge(why: Failure | null, isNeeded: boolean): void {
    if (why === null ? isNeeded : !isNamed(why)) {
      this.#faults.unnamed += 1;
      process.stderr.write(`unnamed: ${JSON.stringify(why)}\n`);
    }
  }

  /** One write, of one line or of several that were said together. */
  #wrote(lines: string): void {
    for (const line of lines.split("\n")) this.#said(line);
  }

  #said(line: string): void {
    const message = parsed(line);
    // A line that was broken in two, or an empty one.
    if (message === null) return void (this.#faults.disorderly += 1);
    if (this.#options.approvals !== "auto" && isApproval(message["result"])) {
      this.#faults.wronglyApproved += 1;
      process.stderr.write(`wrongly approved: ${line.slice(0, 300)}\n`);
    }
    this.#options.wrote?.(message);
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    setTimeout(() => this.die(0), LEAVE_MS);
  }
}

function parsed(line: string): Fields | null {
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return null;
  }
}

function isNamed({ kind, message }: Failure): boolean {
  const outcome: unknown = failureOutcome(kind);
  return typeof outcome === "string" && kind !== "internal" && message !== "";
}

const YES: ReadonlySet<unknown> = new Set([
  "accept",
  "acceptForSession",
  "approved",
  "approved_for_session",
  "approve",
]);

/** Whether an answer gives a permission, in any of the shapes that requests are answered in. */
function isApproval(result: unknown): boolean {
  if (typeof result !== "object" || result === null) return false;
  const { decision, action, permissions } = result as Fields;
  if (YES.has(decision) || YES.has(action)) return true;
  if (typeof decision === "object" && decision !== null) return true;
  return typeof permissions === "object" && permissions !== null && Object.keys(permissions).length > 0;
}

/** Goes into the ledger and over the API as it is: finite, whole where it is counted, and no page of it. */
function isKeepable(news: AgentNews): boolean {
  if (JSON.stringify(news).length > NEWS_CHARS_MAX) return false;
  if (news.type === "usage") return Object.values(news.total).every((count) => Number.isSafeInteger(count));
  const resetsAt = "failure" in news ? (news.failure?.resetsAt ?? 0) : 0;
  return Number.isFinite(resetsAt) && !Number.isNaN(new Date(resetsAt).getTime());
}
