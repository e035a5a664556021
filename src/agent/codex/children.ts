/**
 * Agents that the model starts by itself: threads of the same session, whose turns belong to ours. Knows which of them are
 * at work, waits for them, and ends them when that takes too long. Codex tells of them by their own `turn/started` and
 * `turn/completed`, and by the item of the call that asked for them.
 *
 * A child is asked for (its turn has no name yet) → at work → done.
 */
import { threadId, type ThreadId } from "../../domain/domain.ts";
import { type Fields, fieldsOf, idOf } from "./message.ts";
import type { Ask } from "./opening.ts";
import { strings } from "./sandbox.ts";

/** A child that was asked for says so within a second, and never when something went wrong with it. */
const BEGIN_MS = 5000;

/** A session has a handful; Codex itself allows six at once. */
const CHILDREN_MAX = 1000;

/** Calls after which a child works. */
const ASKING: ReadonlySet<unknown> = new Set(["spawnAgent", "sendInput", "followupTask"]);

/** How the wait for children ended: none is at work any more, some had to be interrupted for that, or would not end. */
export type Settled = "done" | "interrupted" | "stuck";

export interface ChildrenParts {
  readonly ask: Ask;
  /** Time for an interrupt to take effect. */
  readonly interruptMs: number;
  /** The session's own thread, once it is open. */
  readonly own: () => ThreadId | null;
  /** Whether the session's own turn is under way. */
  readonly inTurn: () => boolean;
  /** A thread of the session that was not known. */
  readonly found: (thread: ThreadId) => void;
  readonly warn: (message: string) => void;
}

interface Wait {
  readonly done: (how: Settled) => void;
  how: Settled;
  /** The next step of making them end. */
  timer: NodeJS.Timeout;
  /** After that, what has not begun will not. */
  readonly begun: NodeJS.Timeout;
}

export class Children {
  readonly #parts: ChildrenParts;
  readonly #known = new Set<ThreadId>();
  /** The turns under way, by thread; null = asked for, and not begun. */
  readonly #turns = new Map<ThreadId, string | null>();
  /** Threads whose commands are being ended. */
  readonly #cleaning = new Set<ThreadId>();
  #wait: Wait | null = null;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  /** Takes any notice of Codex. */
  heard(method: string, params: Fields): void {
    switch (method) {
      case "turn/started":
        return this.#began(this.#child(params["threadId"]), idOf(fieldsOf(params["turn"])["id"]));
      case "turn/completed":
      case "thread/closed":
        return this.#ended(this.#child(params["threadId"]));
      case "item/completed":
        return this.#asked(fieldsOf(params["item"]));
    }
  }

  /**
   * Calls `done` once, when no child is at work: at once when that is so now. After `patienceMs` those that still are get
   * interrupted, and the commands they left are ended.
   */
  settle(patienceMs: number, done: Wait["done"]): void {
    // Nothing is to be done about one that never began.
    if (patienceMs <= 0) this.#forgetUnbegun();
    if (this.#isQuiet()) return done("done");
    this.#wait = {
      done,
      how: "done",
      timer: setTimeout(() => this.hurry(), patienceMs),
      begun: setTimeout(() => this.#forgetUnbegun(), BEGIN_MS),
    };
    if (patienceMs <= 0) this.hurry();
  }

  /** Whoever is waited for is waited for no longer. */
  hurry(): void {
    if (this.#wait === null || this.#wait.how !== "done") return;
    clearTimeout(this.#wait.timer);
    this.#wait.how = "interrupted";
    this.#wait.timer = setTimeout(() => this.#over("stuck"), this.#parts.interruptMs);
    for (const [thread, turn] of this.#turns) {
      if (turn === null) this.#turns.delete(thread);
      else this.#interrupt(thread, turn);
    }
    const many = this.#turns.size;
    if (many > 0)
      this.#parts.warn(
        `${many === 1 ? "An agent" : `${many} agents`} of the model's own had to be interrupted: the turn was over, and nobody waited for them.`,
      );
    this.#look();
  }

  /** The process is gone, or nobody waits any more. */
  close(): void {
    this.#turns.clear();
    this.#cleaning.clear();
    if (this.#wait === null) return;
    clearTimeout(this.#wait.timer);
    clearTimeout(this.#wait.begun);
    this.#wait = null;
  }

  /** Whose notice it is; null = the session's own, or nobody's. */
  #child(named: unknown): ThreadId | null {
    const id = idOf(named);
    const own = this.#parts.own();
    if (id === null || own === null || id === own) return null;
    const child = threadId(id);
    if (this.#known.has(child)) return child;
    if (this.#known.size >= CHILDREN_MAX) return null;
    this.#known.add(child);
    this.#parts.found(child);
    return child;
  }

  /** The call that asks is over before the child says that it has begun, or after; or it went wrong. */
  #asked(item: Fields): void {
    if (item["type"] !== "collabAgentToolCall" || item["status"] !== "completed") return;
    if (!ASKING.has(item["tool"])) return;
    const states = fieldsOf(item["agentsStates"]);
    for (const id of strings(item["receiverThreadIds"])) {
      const { status } = fieldsOf(states[id]);
      const child = status === "pendingInit" || status === "running" ? this.#child(id) : null;
      if (child !== null && !this.#turns.has(child)) this.#turns.set(child, null);
    }
  }

  #began(child: ThreadId | null, turn: string | null): void {
    if (child === null || turn === null) return;
    this.#turns.set(child, turn);
    if (this.#wait?.how === "interrupted") return this.#interrupt(child, turn);
    if (this.#parts.inTurn()) return;
    this.#parts.warn("An agent of the model's own began to work between two turns; it was interrupted.");
    this.#interrupt(child, turn);
  }

  #ended(child: ThreadId | null): void {
    if (child !== null && this.#turns.delete(child)) this.#look();
  }

  /** An interrupt ends the turn and leaves its commands. */
  #interrupt(thread: ThreadId, turn: string): void {
    this.#cleaning.add(thread);
    this.#parts.ask("turn/interrupt", { threadId: thread, turnId: turn }, () =>
      this.#parts.ask("thread/backgroundTerminals/clean", { threadId: thread }, () => {
        this.#cleaning.delete(thread);
        this.#look();
      }),
    );
  }

  #forgetUnbegun(): void {
    for (const [thread, turn] of this.#turns) if (turn === null) this.#turns.delete(thread);
    this.#look();
  }

  #isQuiet = (): boolean => this.#turns.size === 0 && this.#cleaning.size === 0;

  #look(): void {
    if (this.#wait !== null && this.#isQuiet()) this.#over(this.#wait.how);
  }

  #over(how: Settled): void {
    const done = this.#wait?.done;
    this.close();
    done?.(how);
  }
}
