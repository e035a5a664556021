/**
 * Requests, answers and notices over one pair of streams. Everything that arrives is handed on synchronously, in the
 * order of the bytes: the continuation of an answer has run before the next line is looked at, so a notice that came
 * in the same read as the answer it belongs to finds the listener ready. That is why answers come by callback and not
 * by promise.
 */
import { LineSplitter } from "./lines.ts";
import { type Fields, isDelta, isDeltaLine, type Message, parseMessage, type RequestId } from "./message.ts";

/** From about 128 open requests on Codex leaves some without any answer; 64 lost none. */
const IN_FLIGHT_MAX = 64;

/** Requests waiting for room. A session has a handful under way; more of them is a loop gone wild. */
const WAITING_MAX = 1024;

/** "Overloaded, ask again": how often the same request is repeated, and how long the first wait is; it doubles. */
const OVERLOAD_CODE = -32001;
const OVERLOAD_RETRIES_MAX = 5;
const OVERLOAD_WAIT_MS = 50;

/** How much of a line that cannot be used is shown. */
const SHOWN_CHARS_MAX = 500;

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      /** `refused`: the server said no. `timeout`: it said nothing. `closed`: it cannot be asked any more. */
      readonly cause: "refused" | "timeout" | "closed";
      readonly code: number | null;
      readonly message: string;
      readonly data: unknown;
    };

export interface RpcListener {
  /** A piece of streamed text went by. */
  readonly delta: () => void;
  readonly notified: (method: string, params: Fields) => void;
  /** The server asks. Every request is to be answered with `answer` or `refuse`, under the same id. */
  readonly asked: (id: RequestId, method: string, params: Fields) => void;
  /** A line that is no message, cut to a readable length. */
  readonly malformed: (error: string, line: string) => void;
  /** An answer nobody waits for (any more). */
  readonly unclaimed: (id: RequestId | null) => void;
}

interface Pending {
  readonly id: number;
  readonly line: string;
  readonly method: string;
  readonly timeoutMs: number;
  readonly done: (answer: Answer) => void;
  retries: number;
  timer: NodeJS.Timeout | undefined;
}

export class Rpc {
  readonly #send: (lines: string) => void;
  readonly #listener: RpcListener;
  readonly #splitter: LineSplitter;
  readonly #inFlight = new Map<number, Pending>();
  readonly #waiting: Pending[] = [];
  /** What is said while bytes are being read, to be written at once afterwards; null = nothing is being read. */
  #held: string[] | null = null;
  #lastId = 0;
  #closed = false;

  /** `send` takes one or more lines, without the end of the last. */
  constructor(send: (lines: string) => void, listener: RpcListener) {
    this.#send = send;
    this.#listener = listener;
    this.#splitter = new LineSplitter({
      line: (bytes, start, end) => this.#line(bytes, start, end),
      tooLong: (head) => listener.malformed("line too long, skipped", shown(head.toString("utf8"))),
    });
  }

  /** Takes bytes from the server. Each write wakes the other side up, so whatever they are answered with goes in one. */
  push(chunk: Buffer): void {
    this.#held = [];
    try {
      this.#splitter.push(chunk);
    } finally {
      const held = this.#held;
      this.#held = null;
      if (held.length > 0) this.#send(held.join("\n"));
    }
  }

  /**
   * Asks. `done` is called exactly once, synchronously with the answer's arrival, or with `timeout` when there is none
   * within `timeoutMs` of the writing, or with `closed`. An overloaded server is asked again a few times.
   */
  request(method: string, params: Fields, timeoutMs: number, done: (answer: Answer) => void): void {
    if (this.#closed) return done(closedAnswer(method));
    if (this.#waiting.length >= WAITING_MAX) return done(notAsked(method, "too many requests wait already"));
    const id = ++this.#lastId;
    const line = JSON.stringify({ id, method, params });
    this.#put({ id, line, method, timeoutMs, done, retries: 0, timer: undefined });
  }

  notify(method: string): void {
    if (!this.#closed) this.#write(JSON.stringify({ method }));
  }

  answer(id: RequestId, result: Fields): void {
    if (!this.#closed) this.#write(JSON.stringify({ id, result }));
  }

  /** Answers that the request is not served here. */
  refuse(id: RequestId, code: number, message: string): void {
    if (!this.#closed) this.#write(JSON.stringify({ id, error: { code, message } }));
  }

  /** The stream is over: the rest is read, then whoever still waits is told so. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#splitter.end();
    this.#closed = true;
    const left = [...this.#inFlight.values(), ...this.#waiting.splice(0)];
    this.#inFlight.clear();
    for (const pending of left) this.#settle(pending, closedAnswer(pending.method));
  }

  #write(line: string): void {
    if (this.#held === null) this.#send(line);
    else this.#held.push(line);
  }

  #put(pending: Pending): void {
    if (this.#inFlight.size >= IN_FLIGHT_MAX) {
      this.#waiting.push(pending);
      return;
    }
    // Known before it is written: an answer can be no earlier than that.
    this.#inFlight.set(pending.id, pending);
    pending.timer = setTimeout(() => this.#late(pending), pending.timeoutMs);
    this.#write(pending.line);
  }

  #late(pending: Pending): void {
    const message = `${pending.method} was not answered within ${pending.timeoutMs} ms`;
    this.#end(pending, { ok: false, cause: "timeout", code: null, message, data: null });
  }

  #end(pending: Pending, answer: Answer): void {
    if (!this.#inFlight.delete(pending.id)) return;
    this.#settle(pending, answer);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#put(next);
  }

  #settle(pending: Pending, answer: Answer): void {
    clearTimeout(pending.timer);
    pending.done(answer);
  }

  #line(bytes: Buffer, start: number, end: number): void {
    if (isDeltaLine(bytes, start, end)) return this.#listener.delta();
    const line = bytes.toString("utf8", start, end);
    this.#message(parseMessage(line), line);
  }

  #message(message: Message, line: string): void {
    switch (message.kind) {
      case "notification":
        if (isDelta(message.method)) return this.#listener.delta();
        return this.#listener.notified(message.method, message.params);
      case "request":
        return this.#listener.asked(message.id, message.method, message.params);
      case "result":
        return this.#answered(message.id, { ok: true, result: message.result });
      case "fault":
        return this.#answered(message.id, { ok: false, cause: "refused", ...message.fault });
      case "malformed":
        return this.#listener.malformed(message.error, shown(line));
    }
  }

  #answered(id: RequestId | null, answer: Answer): void {
    const pending = typeof id === "number" ? this.#inFlight.get(id) : undefined;
    if (pending === undefined) return this.#listener.unclaimed(id);
    if (!answer.ok && answer.code === OVERLOAD_CODE && pending.retries < OVERLOAD_RETRIES_MAX) {
      return this.#again(pending);
    }
    this.#end(pending, answer);
  }

  /** Stays in flight while it waits, so that an overloaded server is not asked other things instead. */
  #again(pending: Pending): void {
    clearTimeout(pending.timer);
    const waitMs = OVERLOAD_WAIT_MS * 2 ** pending.retries++;
    pending.timer = setTimeout(() => {
      pending.timer = setTimeout(() => this.#late(pending), pending.timeoutMs);
      this.#write(pending.line);
    }, waitMs);
  }
}

const notAsked = (method: string, why: string): Answer => ({
  ok: false,
  cause: "closed",
  code: null,
  message: `${method} could not be asked: ${why}`,
  data: null,
});

const closedAnswer = (method: string): Answer => notAsked(method, "the agent's process is gone");

const shown = (line: string): string =>
  line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line;
