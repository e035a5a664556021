/**
 * The real daemon killed with SIGKILL at random moments, with four agents and a tracker on loopback. What it said before
 * a kill is in the ledger after it; no agent outlives the next start; no issue has two; tokens are counted once; what was
 * paused or parked stays so; each start gets back to full work in time; and in the end all tickets are done.
 */
import { EVERYTHING, type Order } from "../../../src/domain/order.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { instant } from "../../../src/domain/time.ts";
import { giveOrder } from "../../../src/ledger/orders.ts";
import { of, type Daemon } from "../../lifecycle/daemon-rig.ts";
import { Ground, NO_LIMITS, POLL_MS } from "./ground.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";

const SLOTS = 4;
const TICKETS = 8;

/** C4: steady five seconds after the start, and one poll. */
const START_MAX_MS = 5_000 + POLL_MS;

/** Half of the daemons die on their way: the lock is taken 300 ms after the launch, work begins 300 ms later. */
const YOUNG_MIN_MS = 100;
const YOUNG_MAX_MS = 800;
/** The others die so long after they have all their slots at work: a few turns later, at most. */
const BUSY_MAX_MS = 300;

/** Short turns that report as they go, and a command that outlives its agent; runs go on until somebody closes the ticket. */
const SCRIPT = "stray\nwrite:work\nwait:20\nuse:50\nwait:30\nuse:50";

export const killedDaemon: Suite = {
  name: "F2",
  linuxOnly: "/proc tells which run a process belongs to",
  promise:
    "killed at any moment, the daemon loses nothing, doubles nothing, leaves nobody behind, and is soon back at work",
  rounds: { test: 8, ci: 100, release: 2_000 },
  run: (rounds, seed) => new Kills(rounds, seed).run(),
  judge: (figures) =>
    all(
      none("lost", "doubled", "orphans", "forgotten", "tokensTwice", "tokensUntold", "unfinished"),
      // One start in twenty may have met a machine that is busy with something else.
      atMost({ startMsP95: START_MAX_MS }),
      atLeast({
        converged: Math.floor((figures["rounds"] ?? 0) / 4),
        runs: figures["rounds"] ?? 0,
        pauses: 1,
      }),
    )(figures),
};

class Kills {
  readonly #rounds: number;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #tickets: string[] = [];
  readonly #startsMs: number[] = [];
  #parked = "";
  /** Whether the ledger says that everything is paused. */
  #paused = false;
  readonly #figures = {
    rounds: 0,
    runs: 0,
    converged: 0,
    startMsMedian: 0,
    startMsP95: 0,
    slowestStartMs: 0,
    pauses: 0,
    lost: 0,
    doubled: 0,
    orphans: 0,
    /** Starts of what was paused or parked. */
    forgotten: 0,
    tokensTwice: 0,
    tokensUntold: 0,
    unfinished: 0,
  };

  constructor(rounds: number, seed: number) {
    this.#rounds = rounds;
    this.#seed = seed;
    this.#random = generator(seed);
  }

  async run(): Promise<Figures> {
    const ground = await Ground.open({
      agents: SLOTS,
      maxTurns: 30,
      agent: "max_retry_backoff_ms: 100",
      extra: `limits: {${NO_LIMITS}, max_failures: 2}`,
    });
    try {
      await this.#begin(ground);
      for (let round = 0; round < this.#rounds; round += 1) {
        await this.#round(ground, round).catch((error: unknown) => {
          process.stderr.write(`${killedDaemon.name} seed ${this.#seed} round ${round}\n`);
          throw error;
        });
      }
      await this.#finish(ground);
      const startsMs = this.#startsMs.toSorted((a, b) => a - b);
      const at = (share: number): number => startsMs[Math.floor(share * (startsMs.length - 1))] ?? 0;
      return { ...this.#figures, startMsMedian: at(0.5), startMsP95: at(0.95), slowestStartMs: at(1) };
    } finally {
      await ground.end();
    }
  }

  /** One ticket is put aside before the others come. */
  async #begin(ground: Ground): Promise<void> {
    this.#parked = ground.ticket("fail");
    const first = ground.baton();
    await first.said("parked", of(this.#parked));
    await first.kill();
    for (let n = 0; n < TICKETS; n += 1) this.#tickets.push(ground.ticket(SCRIPT));
  }

  async #round(ground: Ground, round: number): Promise<void> {
    const { witness, rig } = ground;
    const before = { ...this.#figures };
    if (round === 1 || this.#random() < (this.#paused ? 0.7 : 0.1)) this.#order(ground);
    const daemon = ground.baton();
    if (this.#random() < 0.5) await sleep(YOUNG_MIN_MS + this.#random() * (YOUNG_MAX_MS - YOUNG_MIN_MS));
    else await this.#watch(ground, daemon);
    this.#figures.doubled += witness.doubled();
    const started = daemon.lines.some(({ fact }) => fact === "daemon_started");
    if (started) this.#figures.orphans += witness.orphans(daemon);
    await daemon.kill();
    this.#figures.lost += witness.lost(daemon);
    this.#figures.forgotten += this.#forgotten(daemon);
    this.#paused = rig.ledger((ledger) => ledger.load().pauses.has(EVERYTHING));
    this.#figures.rounds += 1;
    if (this.#random() < 0.3) this.#replaceOne(ground);
    this.#say(round, before);
  }

  /** Until all slots are at work, or, while everything is paused, until it has looked at the board; and a little on. */
  async #watch({ witness }: Ground, daemon: Daemon): Promise<void> {
    await daemon.said("daemon_started");
    this.#figures.orphans += witness.orphans(daemon);
    const steadyMs = await daemon.until(() => steadySince(daemon, this.#paused), "steady work");
    this.#figures.converged += 1;
    this.#startsMs.push(Math.round(steadyMs));
    this.#figures.doubled += witness.doubled();
    await sleep(this.#random() * BUSY_MAX_MS);
  }

  /** Given while no daemon runs: the next one obeys as it starts. */
  #order({ rig }: Ground): void {
    const order: Order = this.#paused
      ? { type: "resume", scope: EVERYTHING }
      : { type: "pause", scope: EVERYTHING, why: "a test", until: null };
    giveOrder(rig.ledgerPath, order, instant(Date.now()));
    this.#figures.pauses += this.#paused ? 0 : 1;
  }

  #forgotten({ lines }: Daemon): number {
    let paused = this.#paused;
    let forgotten = 0;
    for (const { fact, issue_identifier: name } of lines) {
      if (fact === "paused") paused = true;
      if (fact === "resumed") paused = false;
      if (fact === "claimed" && paused) forgotten += 1;
      // A park that was forgotten would be made again by the limit that made it.
      if (name === this.#parked && (fact === "claimed" || fact === "parked")) forgotten += 1;
    }
    return forgotten;
  }

  /** Somebody closes a ticket and opens another. */
  #replaceOne(ground: Ground): void {
    const [closed] = this.#tickets.splice(Math.floor(this.#random() * this.#tickets.length), 1);
    if (closed !== undefined) ground.close(closed);
    this.#tickets.push(ground.ticket(SCRIPT));
  }

  async #finish(ground: Ground): Promise<void> {
    const { rig, witness } = ground;
    const claimed = (name: string): boolean =>
      rig.ledger((ledger) => ledger.issue(name)?.claim ?? null) !== null;
    if (this.#paused) giveOrder(rig.ledgerPath, { type: "resume", scope: EVERYTHING }, instant(Date.now()));
    const last = ground.baton();
    await last.until(() => steadySince(last, false), "steady work");
    const tickets = [...this.#tickets, this.#parked];
    for (const name of tickets) ground.close(name);
    await last.said("polled", (line) => line["candidates"] === 0);
    await last.until(() => (tickets.some(claimed) ? undefined : true), "the end of all tickets");
    await last.stop();
    this.#figures.unfinished = tickets.filter(claimed).length + witness.openRuns() + witness.alive().length;
    this.#figures.doubled += witness.met();
    const { twice, untold } = witness.tokens();
    Object.assign(this.#figures, { tokensTwice: twice, tokensUntold: untold, runs: witness.runsEver() });
  }

  #say(round: number, before: Readonly<Record<string, number>>): void {
    const worse = Object.entries(this.#figures).filter(
      ([name, count]) => /lost|doubled|orphans|forgotten/.test(name) && count > (before[name] ?? 0),
    );
    if (worse.length > 0)
      process.stderr.write(
        `${killedDaemon.name} seed ${this.#seed} round ${round}: ${JSON.stringify(Object.fromEntries(worse))}\n`,
      );
  }
}

/** Milliseconds from the launch to now, once the daemon does all that it may do. */
function steadySince({ lines, launchedAt }: Daemon, before: boolean): number | undefined {
  const of = (wanted: string) => lines.filter(({ fact }) => fact === wanted);
  const last = lines.findLast(({ fact }) => fact === "paused" || fact === "resumed");
  const paused = last === undefined ? before : last["fact"] === "paused";
  const working = new Set(of("turn_started").map((line) => line["issue_identifier"])).size;
  const steady = paused ? of("polled").length > 0 : working >= SLOTS;
  return steady ? performance.now() - launchedAt : undefined;
}
