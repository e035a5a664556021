/** Starts daemons, one after the other, like systemd does; and keeps what the last one knew, to hold the next against it. */
import { LedgerError } from "../../src/ledger/ledger-error.ts";
import type { mayRemove } from "../../src/scheduler/begin.ts";
import type { decide } from "../../src/scheduler/decide.ts";
import type { RunEvent, News } from "../../src/scheduler/events.ts";
import type { State } from "../../src/scheduler/state.ts";
import type { Checks } from "./checks.ts";
import type { Ground } from "./ground.ts";
import type { Installation } from "./installation.ts";
import { fromLoop } from "./rules.ts";
import { Killed, SimDaemon, type End } from "./sim-daemon.ts";
import { HOUR_MS } from "./timeline.ts";

/** News of dead daemons' runs that is kept to be told to the next one. */
const ECHOES_MAX = 50;

/** In calm times a daemon is back within this. */
const CALM_RESTART_MS = 5_000;

/** What the scheduler answers; a test may have put a broken one in its place. */
export interface Scheduler {
  readonly decide: typeof decide;
  readonly mayRemove: typeof mayRemove;
}

export class Supervisor {
  readonly #ground: Ground;
  readonly #installation: Installation;
  readonly #checks: Checks;
  readonly #scheduler: Scheduler;
  #daemon: SimDaemon | null = null;
  /** What the last daemon knew when it died, as far as it was written down. */
  #last: State | null = null;
  #echoes: RunEvent[] = [];
  #booting = false;

  constructor(ground: Ground, installation: Installation, checks: Checks, real: Scheduler) {
    this.#ground = ground;
    this.#installation = installation;
    this.#checks = checks;
    const counted: typeof decide = (state, event) => {
      ground.figures.add("steps");
      return real.decide(state, event);
    };
    this.#scheduler = { ...real, decide: counted };
  }

  get daemon(): SimDaemon | null {
    return this.#daemon;
  }

  say(news: News): void {
    this.#daemon?.dispatch(news);
  }

  /** Starts a daemon, unless one runs; one that does not come up is started again. */
  boot(): void {
    const { broken } = this.#installation;
    const { figures, random, tell } = this.#ground;
    this.#booting = false;
    if (this.#daemon !== null) return;
    // A daemon does not start on a broken file.
    if (broken.size > 0) return this.#bootIn(60_000);
    figures.add("starts");
    tell("fault", "Baton", () => "starts");
    try {
      this.#daemon = this.#made();
      this.#daemon.start();
      this.#afterStart();
    } catch (error) {
      if (!(error instanceof Killed || error instanceof LedgerError)) throw error;
      if (error instanceof LedgerError) figures.add("stoppedByDisk");
      tell("fault", "Baton", () => `does not come up: ${error.message}`);
      this.#bootIn(random.spread(1_000, 600_000));
    }
  }

  #made(): SimDaemon {
    const { ledger, policies, workspaces } = this.#installation;
    return new SimDaemon(
      {
        ground: this.#ground,
        ledger,
        checks: this.#checks,
        ...this.#scheduler,
        policies,
        outageUntil: () => this.#installation.outageUntil,
        workspaces,
        overheard: (news) => this.#overhear(news),
        onEnd: (end) => this.#ended(end),
      },
      (state, at, records) => {
        this.#checks.recovered(this.#last, state, at, records);
        this.#last = state;
      },
    );
  }

  /** The disk is looked at; and somebody still has news of runs that are over. */
  #afterStart(): void {
    const { timeline, random, figures } = this.#ground;
    for (const workflow of this.#installation.low)
      this.say({ type: "disk_checked", workflow, low: "the disk is nearly full" });
    for (const news of this.#echoes.splice(0)) {
      timeline.in(random.between(0, 60_000), () => {
        if (this.#daemon !== null) figures.add("newsOfTheDead");
        this.say(news);
      });
    }
  }

  #bootIn(ms: number): void {
    if (this.#booting) return;
    this.#booting = true;
    const { timeline, calm } = this.#ground;
    timeline.in(calm() ? Math.min(ms, CALM_RESTART_MS) : ms, () => this.boot());
  }

  #ended({ words, error, counts }: End): void {
    const { tell, figures, random, agents } = this.#ground;
    tell("fault", "Baton", () => words);
    if (counts !== null) figures.add(counts);
    const known = error === null || error instanceof Killed || error instanceof LedgerError;
    if (!known) this.#checks.found.push(fromLoop(error));
    this.#last = this.#daemon?.kept ?? this.#last;
    this.#daemon = null;
    // Some agents die with the pipe to their daemon, others do not.
    for (const agent of agents) if (random.chance(0.5)) agent.kill();
    this.#bootIn(random.chance(0.1) ? random.spread(600_000, 12 * HOUR_MS) : random.spread(1_000, 120_000));
  }

  #overhear(news: RunEvent): void {
    const { random, faults } = this.#ground;
    if (random.chance(faults().echoes) && this.#echoes.length < ECHOES_MAX) this.#echoes.push(news);
  }
}
