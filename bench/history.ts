/** Whether what lies behind, and what waits, makes a start, a step, a scan or a ticket dearer. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Board } from "./board.ts";
import { type Start, started } from "./cold-start.ts";
import type { BatonDaemon } from "./daemon.ts";
import { aside, bounded, median, multiple, type Figure } from "./figure.ts";
import { age, ageOf } from "./old-ledger.ts";
import type { Place, PlaceOptions } from "./place.ts";
import { session, type Session } from "./session.ts";

const RUNS = 100_000;
const EVENTS = 1_000_000;
const QUEUED = 5_000;

/** What the old ledger is copied from: a thousand times as many are aimed at. */
const SEED = 100;

/** All of them are in one state, whose limit leaves a slot free: the scheduler has to look at every one that waits. */
const RUNNING = 20;
const SLOTS = RUNNING + 1;
const STEPS_EACH = 100;

const STARTS = 3;
const TICKETS = 60;
const SCANS = 3;
const SCAN_EVERY_MS = 2_000;
const SELDOM_MS = 300_000;

/** For one step of the benchmark, the start that checks everything among them. */
const WITHIN_MS = 180_000;

/** A daemon that has used no more than this in such a time has nothing left to do: the rest of an old ledger is looked at. */
const QUIET_CPU_MS = 2;
const QUIET_MS = 1_000;

/** Starting with years behind: what docs/RELIABILITY.md says of a restart. */
const START_MS = 5_000;

/** "The same": what two runs of the same thing differ by, here. */
const SAME_SHARE = 1.2;

const working = { agent: "work", agentsMax: 20, pollMs: 30_000 } as const;
const counting = {
  agent: `count ${STEPS_EACH}`,
  agentsMax: SLOTS,
  todoMax: RUNNING,
  pollMs: SELDOM_MS,
} as const;
const scanning = { ...counting, pollMs: SCAN_EVERY_MS } as const;

export const history = (): Promise<readonly Figure[]> =>
  session(1, async (all) => {
    const bench = new History(all);
    const old = await bench.place();
    const empty = await bench.place();
    await bench.work(old, SEED);
    age(old.ledger, { runs: RUNS, events: EVENTS });
    const [first] = await bench.starts(old, 1);
    const starts = { old: await bench.starts(old, STARTS), empty: await bench.starts(empty, STARTS) };
    const ticket = { old: await bench.work(old, TICKETS), empty: await bench.work(empty, TICKETS) };
    all.board.add(RUNNING);
    const alone = await bench.steps(await bench.place());
    all.board.add(QUEUED);
    const step = { old: await bench.steps(old), empty: await bench.steps(empty) };
    const scan = { old: await bench.scans(old), empty: await bench.scans(empty) };
    const { runs, events } = ageOf(old.ledger);
    const ms = median(starts.old.map((start) => start.ms));
    const plain = median(starts.empty.map((start) => start.ms));
    return [
      aside("an old ledger", `${runs} runs`, `${events} events; against an empty one, on the same board`),
      bounded("  start with it to first tracker request", ms / 1000, {
        max: START_MS / 1000,
        unit: "s",
        digits: 2,
        how: `after a clean end, median of ${STARTS}; ${cpuWords(starts.old)}; empty ${(plain / 1000).toFixed(2)} s, ${cpuWords(starts.empty)}`,
      }),
      aside(
        "  the first start",
        `${((first?.ms ?? Number.NaN) / 1000).toFixed(2)} s`,
        "after somebody else wrote to it",
      ),
      same("  a ticket", ticket, `of ${TICKETS}, CPU ms`),
      same("  a step", step, `a report of usage, of ${RUNNING * STEPS_EACH} with ${QUEUED} queued, CPU ms`),
      same(`  a step with ${QUEUED} queued`, { old: step.empty, empty: alone }, "to one with none; CPU ms"),
      same(`  a scan with ${QUEUED} queued`, scan, `of ${SCANS}, CPU ms`),
    ];
  });

const cpuWords = (starts: readonly Start[]): string =>
  `${(median(starts.map(({ cpu }) => cpu)) * 1000).toFixed(0)} CPU ms`;

const same = (
  what: string,
  { old, empty }: { readonly old: number; readonly empty: number },
  how: string,
): Figure =>
  multiple(what, old / empty, { max: SAME_SHARE, how: `${how}: ${old.toFixed(2)} to ${empty.toFixed(2)}` });

class History {
  readonly #session: Session;
  readonly #board: Board;

  constructor(all: Session) {
    this.#session = all;
    this.#board = all.board;
  }

  /** A place with a ledger that the program has made. */
  async place(): Promise<Place> {
    const { board, daemon: start } = this.#session;
    const asked = board.all("asked").length;
    const { daemon, place } = start(working);
    await board.until("asked", asked + 1, WITHIN_MS);
    await daemon.stop();
    return place;
  }

  /** CPU milliseconds of the daemon for each of so many new tickets. */
  async work(place: Place, tickets: number): Promise<number> {
    place.set({ ...working, boardPort: this.#board.port });
    this.#board.add(tickets);
    const { daemon, cpu } = await started(this.#board, () => this.#session.again(place), WITHIN_MS);
    const before = cpu * 1000;
    await daemon.until("workspace_removed", tickets, WITHIN_MS);
    const cpuMs = daemon.figures().cpu * 1000 - before;
    await daemon.stop();
    return cpuMs / tickets;
  }

  async starts(place: Place, count: number): Promise<readonly Start[]> {
    const starts: Start[] = [];
    for (let i = 0; i < count; i++) {
      const { daemon, ...costs } = await started(this.#board, () => this.#session.again(place), WITHIN_MS);
      starts.push(costs);
      await daemon.stop();
    }
    return starts;
  }

  /** CPU milliseconds of a step. */
  async steps(place: Place): Promise<number> {
    const daemon = await this.#held(place, counting);
    const before = daemon.exactCpuMs();
    this.#board.go();
    await daemon.until("agent_warned", RUNNING, WITHIN_MS);
    const cpuMs = daemon.exactCpuMs() - before;
    await daemon.stop();
    return cpuMs / RUNNING / STEPS_EACH;
  }

  /** CPU milliseconds of a scan. */
  async scans(place: Place): Promise<number> {
    const daemon = await this.#held(place, scanning);
    const from = this.#board.all("scanned").length;
    await this.#board.until("scanned", from + 1, WITHIN_MS);
    const before = daemon.exactCpuMs();
    await this.#board.until("scanned", from + 1 + SCANS, WITHIN_MS);
    const cpuMs = daemon.exactCpuMs() - before;
    await daemon.stop();
    return cpuMs / SCANS;
  }

  /** A daemon whose agents all wait for the board. */
  async #held(place: Place, options: Omit<PlaceOptions, "boardPort">): Promise<BatonDaemon> {
    const from = this.#board.all("waits").length;
    place.set({ ...options, boardPort: this.#board.port });
    const daemon = this.#session.again(place);
    await this.#board.until("waits", from + RUNNING, WITHIN_MS);
    await daemon.until("turn_started", RUNNING, WITHIN_MS);
    await this.#quiet(daemon);
    return daemon;
  }

  /** Until it does nothing: what it looks at after its start is no part of a step, nor of a scan. */
  async #quiet(daemon: BatonDaemon): Promise<void> {
    const deadline = performance.now() + WITHIN_MS;
    let before: number;
    do {
      if (performance.now() > deadline) throw new Error(`the daemon is still at work after ${WITHIN_MS} ms`);
      before = daemon.exactCpuMs();
      await sleep(QUIET_MS);
    } while (daemon.exactCpuMs() - before > QUIET_CPU_MS);
  }
}
