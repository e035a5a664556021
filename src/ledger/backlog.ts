/**
 * Facts on their way to the disk: written in batches, because a commit for each would cost a disk sync for each. When
 * the disk takes nothing, the oldest are let go within a bound and counted.
 */
import { instant } from "../domain/domain.ts";
import { eventRow, type EventRow } from "./write-events.ts";

/** A batch is due when it has this many rows, or its oldest row has waited this long. */
export const BATCH_ROWS = 200;
export const BATCH_MS = 1_000;

/** What may wait while the ledger cannot be written: some minutes of a busy daemon, and never more memory than this. */
export const WAITING_ROWS_MAX = 5_000;
export const WAITING_CHARS_MAX = 16 * 1024 * 1024;

/** Calls `ring` once after `ms`; the function it returns calls that off. */
export type SetTimer = (ring: () => void, ms: number) => () => void;

/** A timer that does not keep the process alive. */
export const realTimer: SetTimer = (ring, ms) => {
  const timer = setTimeout(ring, ms).unref();
  return () => clearTimeout(timer);
};

export class Backlog {
  readonly #setTimer: SetTimer;
  readonly #due: () => void;
  #rows: EventRow[] = [];
  #chars = 0;
  #dropped = 0;
  #callOff: (() => void) | null = null;

  /** `due` is called when a batch should be written; the rows stay until `clear`. */
  constructor(setTimer: SetTimer, due: () => void) {
    this.#setTimer = setTimer;
    this.#due = due;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  add(row: EventRow): void {
    this.#rows.push(row);
    this.#chars += row.fact.length;
    this.#trim();
    this.#arm();
    // Once per batch, not once per row: a disk that takes nothing is not asked for every fact.
    if (this.#rows.length % BATCH_ROWS === 0) this.#due();
  }

  /** Everything that waits, oldest first, with a word about what was let go. */
  rows(): readonly EventRow[] {
    const [oldest] = this.#rows;
    if (this.#dropped === 0 || oldest === undefined) return this.#rows;
    const message = `${this.#dropped} facts were not kept: the ledger could not be written for a while`;
    return [eventRow({ type: "warning", message, at: instant(oldest.at) }), ...this.#rows];
  }

  /** The rows are on disk. */
  clear(): void {
    this.#rows = [];
    this.#chars = 0;
    this.#dropped = 0;
    this.stop();
  }

  stop(): void {
    this.#callOff?.();
    this.#callOff = null;
  }

  #arm(): void {
    this.#callOff ??= this.#setTimer(() => {
      this.#callOff = null;
      this.#due();
      if (!this.isEmpty) this.#arm();
    }, BATCH_MS);
  }

  #trim(): void {
    if (this.#rows.length <= WAITING_ROWS_MAX && this.#chars <= WAITING_CHARS_MAX) return;
    // A batch at a time, so that dropping costs little per fact.
    const gone = this.#rows.splice(0, Math.min(BATCH_ROWS, this.#rows.length - 1));
    this.#dropped += gone.length;
    for (const row of gone) this.#chars -= row.fact.length;
  }
}
