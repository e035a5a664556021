/**
 * Where the demo is watched: on a terminal as a block that is redrawn in place, anywhere else as a line for each thing
 * that happened, without escape sequences.
 */
import type { Paint } from "../terminal/terminal.ts";
import { instant, type Instant } from "../domain/domain.ts";
import { plain } from "../facts/facts.ts";
import type { Happened } from "./happened.ts";
import type { Progress } from "./progress.ts";
import { frameLines } from "./view.ts";

export interface Screen {
  /** This is how things are now. */
  show(progress: Progress): void;
  /** This has happened, to a ticket or to all; null is nothing. */
  tell(identifier: string | null, happened: Happened | null): void;
  /** What the daemon as a whole is doing, instead of counts. */
  note(text: string): void;
  /** The last of it; lines may follow. Tolerates a second call. */
  end(): void;
}

/** What a terminal or a pipe must be able to do; process.stdout is one. */
export interface Terminal {
  write(text: string): unknown;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface ScreenOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly now?: () => Instant;
}

const clock = (): Instant => instant(Date.now());

/** A log line fits a wide terminal; the rest is in the ledger. */
const LINE_CHARS_MAX = 160;

/** One line per event: seconds since the start, the ticket, what happened. */
export function lineScreen({ terminal, paint, now = clock }: ScreenOptions): Screen {
  const startedAt = now();
  return {
    show: () => undefined,
    tell: (identifier, happened) => {
      if (happened === null) return;
      const seconds = ((now() - startedAt) / 1000).toFixed(1).padStart(5);
      const text = plain(happened.text, LINE_CHARS_MAX);
      const words = happened.trouble ? paint("yellow", text) : text;
      terminal.write(`${seconds}s  ${(identifier ?? "").padEnd(identifierWidth)}  ${words}\n`);
    },
    note: (text) => void terminal.write(`${text}\n`),
    end: () => undefined,
  };
}

const identifierWidth = "DEMO-1".length;

/** Ten frames a second look like motion; more only heats the processor. */
const FRAME_MS = 100;
/** Without news the clock still runs. */
const IDLE_FRAME_MS = 500;

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const clearLine = "\u001b[2K";
const clearBelow = "\u001b[J";
const up = (lines: number): string => (lines === 0 ? "" : `\u001b[${lines}A`);

/** A block of lines that is drawn over itself. */
export class LiveScreen implements Screen {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  readonly #now: () => Instant;
  readonly #startedAt: Instant;
  #progress: Progress = new Map();
  #note: string | null = null;
  #drawn = 0;
  #drawnAt = 0;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor({ terminal, paint, now = clock }: ScreenOptions) {
    this.#terminal = terminal;
    this.#paint = paint;
    this.#now = now;
    this.#startedAt = now();
    terminal.write(hideCursor);
  }

  show(progress: Progress): void {
    this.#progress = progress;
    this.#soon(FRAME_MS);
  }

  tell(): void {
    // The block says it.
  }

  note(text: string): void {
    this.#note = text;
    this.#soon(FRAME_MS);
  }

  end(): void {
    if (this.#ended) return;
    this.#draw();
    this.#ended = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#terminal.write(showCursor);
  }

  /** Draws when the last frame is `ms` old; a wait that is under way is only ever shortened. */
  #soon(ms: number): void {
    if (this.#ended) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), Math.max(0, this.#drawnAt + ms - this.#now()));
  }

  #draw(): void {
    if (this.#ended) return;
    const { columns = 80, rows = 24 } = this.#terminal;
    const frame = {
      progress: this.#progress,
      startedAt: this.#startedAt,
      now: this.#now(),
      note: this.#note,
    };
    // What has scrolled out of the terminal cannot be drawn over.
    const lines = frameLines({ ...frame, columns, paint: this.#paint }).slice(0, rows - 1);
    const text = lines.map((line) => `${clearLine}${line}\n`).join("");
    this.#terminal.write(`${up(this.#drawn)}\r${text}${clearBelow}`);
    this.#drawn = lines.length;
    this.#drawnAt = this.#now();
    this.#soon(IDLE_FRAME_MS);
  }
}
