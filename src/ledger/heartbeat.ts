/**
 * The daemon's sign of life: a small file beside the ledger, touched by its event loop every few seconds, with what only
 * the daemon knows: when each tracker was last heard of, and what stands in the way. It is written over in place, which a
 * full disk takes, and holds no secret. The lock says that a process is there; this says that it is not stopped or hung.
 */
import {
  chmodSync,
  closeSync,
  futimesSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import {
  instant,
  type Instant,
  issueId,
  type IssueId,
  type OpenCount,
  type RunId,
  runId,
  type ScanCounts,
  type UnderWay,
} from "../domain/domain.ts";
import type { Doubt, State } from "../scheduler/scheduler.ts";
import { born, count, flag, listOf, maybe, objectOf, oneOf, orNull, type Parser, text } from "./parse.ts";

interface Paced {
  readonly wishedMs: number;
  readonly why: string;
}

interface LooksLater {
  readonly until: Instant;
  readonly why: string;
}

interface DoubtOf extends Doubt {
  readonly id: IssueId;
}

/** What only the daemon knows of one workflow. */
export interface WorkflowBeat {
  readonly name: string;
  readonly path: string;
  /** Between two scans, as it is possible. */
  readonly pollIntervalMs: number;
  /** Why that is longer than the file wishes for, and what it wishes for; absent = it is not. */
  readonly paced?: Paced;
  /** Since when that is the interval; absent = since the start. */
  readonly paceSince?: Instant;
  /** The end of its last complete scan; null = none was yet. */
  readonly scannedAt: Instant | null;
  /** Why the scan after that was not complete; null = it was the last. */
  readonly scanError: string | null;
  /** Why nothing new starts since its file was changed; null = all well. */
  readonly broken: string | null;
  readonly diskLow: string | null;
  /** Why approvals that Codex asks for are answered by nobody; null = somebody is there, or none is asked for. */
  readonly unanswered: string | null;
  /** The tracker's rate limit is used up. */
  readonly limited: boolean;
  /** Why nothing starts in it at this moment; absent = nothing stands in the way of that. */
  readonly gate?: string;
  /** Until when nobody is looked at that could start, and why; absent = nothing stands in the way of that. */
  readonly looks?: LooksLater;
  /** Issues that are put off because they could not be read, or were left out; absent = none. */
  readonly doubts?: readonly DoubtOf[];
  /** What its scans come to. */
  readonly counts: ScanCounts | null;
}

/** What the agent of a run does just now. */
export interface RunBeat {
  readonly run: RunId;
  readonly work: readonly UnderWay[];
}

export interface Beat {
  readonly pid: number;
  readonly phase: State["phase"];
  /** Why the ledger takes no records; null = it does. */
  readonly stuck: string | null;
  readonly workflows: readonly WorkflowBeat[];
  /** Absent = nothing, or an earlier version wrote it. */
  readonly underWay?: readonly RunBeat[];
}

/** The file as it was found. */
export interface Heartbeat {
  /** When the event loop last came by. */
  readonly at: Instant;
  /** Null = it cannot be read, or another version wrote it. */
  readonly beat: Beat | null;
}

/** How often the loop comes by: a stopped daemon is noticed within a few of these (cli/health.ts). */
export const BEAT_EVERY_MS = 2_000;

/** A multiple of what a disk has in one piece; the file only grows, so that it can be written over when the disk is full. */
const PIECE_BYTES = 4_096;

const fileOf = (ledger: string): string => `${ledger}.heartbeat`;

/** Keeps the file of the ledger at this path, for as long as it is kept going. */
export class HeartbeatFile {
  readonly #path: string;
  readonly #look: () => Beat;
  #timer: NodeJS.Timeout | null = null;
  #file: number | null = null;
  #written = "";
  #bytes = 0;

  /** `look` is asked for each beat, in the event loop. */
  constructor(ledger: string, look: () => Beat) {
    this.#path = fileOf(ledger);
    this.#look = look;
  }

  start(): void {
    if (this.#timer === null) this.#beat();
  }

  /** A daemon that has ended has no file. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    rmSync(this.#path, { force: true });
  }

  #beat(): void {
    this.#timer = setTimeout(() => this.#beat(), BEAT_EVERY_MS).unref();
    try {
      this.#tell(JSON.stringify(this.#look()));
    } catch {
      // A daemon without this file works all the same; whoever looks sees that nobody comes by.
    }
  }

  #tell(text: string): void {
    const file = this.#opened();
    const now = new Date();
    if (text === this.#written) return futimesSync(file, now, now);
    const bytes = Buffer.from(text);
    this.#bytes = Math.max(this.#bytes, Math.ceil(bytes.length / PIECE_BYTES) * PIECE_BYTES);
    writeSync(file, Buffer.concat([bytes, Buffer.alloc(this.#bytes - bytes.length, " ")]), 0, this.#bytes, 0);
    this.#written = text;
  }

  #opened(): number {
    if (this.#file !== null) return this.#file;
    // What an earlier daemon left is not written into: it may be shorter, or somebody else's.
    rmSync(this.#path, { force: true });
    this.#file = openSync(this.#path, "wx", 0o600);
    chmodSync(this.#path, 0o600);
    return this.#file;
  }
}

/** How often it is read again when it is just being written. */
const TRIES_MAX = 3;

/** The sign of life beside this ledger; null = there is none. */
export function heartbeatOf(ledger: string): Heartbeat | null {
  const path = fileOf(ledger);
  try {
    const at = instant(statSync(path).mtimeMs);
    let beat: Beat | null = null;
    for (let tries = 0; beat === null && tries < TRIES_MAX; tries += 1)
      beat = readable(readFileSync(path, "utf8"));
    return { at, beat };
  } catch {
    return null;
  }
}

function readable(text: string): Beat | null {
  try {
    return parseBeat(JSON.parse(text));
  } catch {
    return null;
  }
}

const open = objectOf<OpenCount>({ count, isAll: flag });

const counts = objectOf<ScanCounts>({
  open: orNull(open),
  listed: count,
  running: count,
  waiting: count,
  parked: count,
  blocked: count,
  ready: count,
  gate: orNull(text),
});

const workflow = objectOf<WorkflowBeat>({
  name: text,
  path: text,
  pollIntervalMs: count,
  paceSince: maybe(born(count, instant)),
  scannedAt: orNull(born(count, instant)),
  scanError: orNull(text),
  broken: orNull(text),
  diskLow: orNull(text),
  paced: maybe(objectOf<Paced>({ wishedMs: count, why: text })),
  unanswered: orNull(text),
  limited: flag,
  gate: maybe(text),
  looks: maybe(objectOf<LooksLater>({ until: born(count, instant), why: text })),
  doubts: maybe(
    listOf(
      objectOf<DoubtOf>({
        id: born(text, issueId),
        why: orNull(text),
        times: count,
        again: born(count, instant),
      }),
    ),
  ),
  counts: orNull(counts),
});

const work = objectOf<UnderWay>({ what: text, since: born(count, instant) });

const parseBeat: Parser<Beat> = objectOf<Beat>({
  pid: count,
  phase: oneOf<State["phase"]>({
    starting: true,
    serving: true,
    draining: true,
    stopping: true,
    stopped: true,
  }),
  stuck: orNull(text),
  workflows: listOf(workflow),
  underWay: maybe(listOf(objectOf<RunBeat>({ run: born(text, runId), work: listOf(work) }))),
});
