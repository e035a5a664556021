/**
 * One turn of the thread, from `turn/start` to its end. Only `turn/completed` ends it, and what its status says counts;
 * when that does not come in time after an interrupt, the turn is given up and its process with it.
 *
 * States: asked (the id may be unknown) → started → settling (agents of the model's own are at work still) → over.
 */
import { failure, type Failure, MINUTE_MS, type ThreadId, turnId, type TurnId } from "../../domain/domain.ts";
import type { AgentNews } from "../port.ts";
import type { Children } from "./children.ts";
import { cut, providerFailure, requestFailure } from "./failures.ts";
import { textInput } from "./launch-options.ts";
import { type Fields, fieldsOf, idOf, textOf } from "./message.ts";
import type { Ask } from "./opening.ts";

/** Time for an interrupt to take effect: Codex needs 12 ms, and more when its machine is busy. */
export const INTERRUPT_MS = 5000;

/** An interrupt may be refused because the turn has not quite begun. */
const INTERRUPT_PAUSE_MS = 100;

/** The last message is an account of the work; beyond this it is a document. */
const MESSAGE_CHARS_MAX = 16_384;

/** Timers that are longer ring at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * How long agents of the model's own may go on for which nobody has waited: enough for a test to come to its end. What
 * they write later, nobody would look at.
 */
export const CHILDREN_MS = 5 * MINUTE_MS;

export type TurnEnd = Omit<Extract<AgentNews, { type: "turn_ended" }>, "type">;

export interface TurnParts {
  readonly ask: Ask;
  readonly threadId: ThreadId;
  readonly interruptMs: number;
  /** For agents of the model's own, once the turn itself is complete. */
  readonly childrenMs: number;
  /** When the provider's used-up limit is reset, as far as known. */
  readonly resetsAt: () => number | null;
  /** The agents that the model started by itself. */
  readonly children: Pick<Children, "settle" | "hurry" | "close">;
  /** How long nothing has been heard of Codex. */
  readonly silentMs: () => number;
  readonly started: (id: TurnId) => void;
  readonly ended: (end: TurnEnd) => void;
  /** The turn was interrupted and did not end: called after `ended`. */
  readonly stuck: (why: Failure) => void;
}

export class Turn {
  readonly #parts: TurnParts;
  readonly #abort = new AbortController();
  #id: TurnId | null = null;
  #state: "asked" | "started" | "settling" | "over" = "asked";
  /** Why it was interrupted by us; the first reason wins. */
  #interrupted: { readonly why: Failure | null } | null = null;
  #error: unknown = null;
  #message: string | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Aborts when the turn is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Starts it. After `silenceMaxMs` in which nothing was heard it is interrupted. */
  begin(params: Fields, silenceMaxMs: number): void {
    this.#listenFor(silenceMaxMs, silenceMaxMs);
    this.#parts.ask("turn/start", params, (answer) => {
      if (this.#state === "over") return;
      if (answer.ok) {
        const id = idOf(fieldsOf(fieldsOf(answer.result)["turn"])["id"]);
        if (id !== null) this.#id ??= turnId(id);
      } else if (answer.cause !== "closed") {
        const why = requestFailure(answer, "start the turn");
        this.#end("failed", why);
        // Without an answer the turn may still begin.
        if (answer.cause === "timeout") this.#parts.stuck(why);
      }
    });
  }

  /** Whether news with this turn id is about this turn. Before the id is known, it is. */
  is(id: string | null): boolean {
    return id === null || this.#id === null || this.#id === id;
  }

  /** `turn/started` came. */
  begun(id: string): void {
    if (this.#state !== "asked") return;
    this.#id = turnId(id);
    this.#state = "started";
    this.#parts.started(this.#id);
    if (this.#interrupted !== null) this.#askInterrupt();
  }

  /** The agent said this; what it said last goes into the summary of the turn. */
  said(text: string): void {
    this.#message = text;
  }

  /** An error that will not be retried; `turn/completed` brings it too, but not in all versions. */
  erred(error: unknown): void {
    this.#error = error;
  }

  /** `turn/completed` came. */
  completed(turn: Fields): void {
    if (this.#state === "over" || this.#state === "settling") return;
    const id = idOf(turn["id"]) ?? this.#id;
    if (this.#state === "asked" && id !== null) this.begun(id);
    this.#message = finalMessage(turn) ?? this.#message;
    switch (turn["status"]) {
      case "completed":
        return this.#settle("completed", null);
      case "interrupted":
        return this.#settle("interrupted", this.#cancelled());
      default:
        return this.#settle("failed", providerFailure(turn["error"] ?? this.#error, this.#parts.resetsAt()));
    }
  }

  /** A turn is over when its children are, so that nobody writes files of which no turn tells. */
  #settle(status: TurnEnd["status"], why: Failure | null): void {
    clearTimeout(this.#pause);
    this.#state = "settling";
    const { children, childrenMs, stuck } = this.#parts;
    children.settle(status === "completed" ? childrenMs : 0, (how) => {
      // They were ended before they were done.
      if (this.#interrupted !== null && how !== "done") this.#end("interrupted", this.#cancelled());
      else this.#end(status, why);
      if (how === "stuck") stuck(childrenFailure);
    });
  }

  /** Ends it early; `ended` follows within `interruptMs`. `why` = null: nothing went wrong. */
  interrupt(why: Failure | null): void {
    if (this.#state === "over" || this.#interrupted !== null) return;
    this.#interrupted = { why };
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#giveUp(), this.#parts.interruptMs);
    // Before `turn/started` Codex does not know the turn, and the interrupt would be lost.
    if (this.#state === "started") this.#askInterrupt();
    if (this.#state === "settling") this.#parts.children.hurry();
  }

  /** Adds to the running turn; false when it is not running, or Codex refuses. */
  steer(text: string): Promise<boolean> {
    const { ask, threadId } = this.#parts;
    if (this.#state !== "started" || this.#interrupted !== null) return Promise.resolve(false);
    const params = { threadId, input: textInput(text), expectedTurnId: this.#id };
    return new Promise((resolve) => ask("turn/steer", params, (answer) => resolve(answer.ok)));
  }

  /** The process is gone. `why` is what ended it. */
  lost(why: Failure | null): void {
    if (this.#interrupted !== null) this.#end("interrupted", this.#cancelled());
    else this.#end("failed", why);
  }

  /** Not a timer that each piece of text puts off: thousands come in a second. It looks when it rings, and goes on. */
  #listenFor(waitMs: number, silenceMaxMs: number): void {
    this.#deadline = setTimeout(
      () => {
        const left = silenceMaxMs - this.#parts.silentMs();
        if (left > 0) this.#listenFor(left, silenceMaxMs);
        else this.interrupt(silenceFailure(silenceMaxMs));
      },
      Math.min(waitMs, TIMER_MAX_MS),
    );
  }

  #askInterrupt(): void {
    const { ask, threadId } = this.#parts;
    ask("turn/interrupt", { threadId, turnId: this.#id }, (answer) => {
      if (answer.ok || answer.cause !== "refused" || this.#state === "over") return;
      this.#pause = setTimeout(() => this.#askInterrupt(), INTERRUPT_PAUSE_MS);
    });
  }

  #giveUp(): void {
    const why = this.#cancelled();
    this.#end("interrupted", why);
    this.#parts.stuck(why);
  }

  #cancelled(): Failure {
    return this.#interrupted?.why ?? failure("turn_cancelled", "The turn was interrupted.");
  }

  #end(status: TurnEnd["status"], why: Failure | null): void {
    if (this.#state === "over") return;
    this.#state = "over";
    clearTimeout(this.#deadline);
    clearTimeout(this.#pause);
    this.#abort.abort();
    this.#parts.children.close();
    const message = this.#message === null ? null : cut(this.#message, MESSAGE_CHARS_MAX);
    this.#parts.ended({ turnId: this.#id, status, failure: why, message });
  }
}

const childrenFailure = failure(
  "protocol_violation",
  "Agents that the model had started by itself did not end when they were interrupted.",
);

const silenceFailure = (silenceMaxMs: number): Failure =>
  failure(
    "turn_timeout",
    `Nothing was heard of the turn for as long as codex.turn_timeout_ms allows (${silenceMaxMs} ms).`,
    {
      hint:
        "Let the command under way print something now and then, or raise codex.turn_timeout_ms. How long a whole run " +
        "may take is limits.max_run_ms.",
    },
  );

/** The agent's last message, in the summary of a completed turn. */
function finalMessage(turn: Fields): string | null {
  const items = Array.isArray(turn["items"]) ? turn["items"].map(fieldsOf) : [];
  return textOf(items.findLast((item) => item["type"] === "agentMessage")?.["text"]);
}
