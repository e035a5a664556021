/**
 * The real daemon killed with SIGKILL at every named point of its life: before and after the commit of each record and
 * each piece of work, after the work, and at each step of a start. One board and one ledger go through all of these lives:
 * each life begins where a kill has left things, has to come back to steady work, is judged as in killed-daemon.ts, and is then
 * provoked into coming by the next point.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { instant } from "../../../src/domain/time.ts";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { giveOrder } from "../../../src/ledger/orders.ts";
import { listRescues } from "../../../src/workspace/rescue/rescues.ts";
import { of, type Daemon } from "../../lifecycle/daemon-rig.ts";
import { Ground, NO_LIMITS, POLL_MS } from "./ground.ts";
import { points, type PointOfLife } from "./points.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";

/** C4, and what the provider's refusal may hold things up: it names whole seconds. */
const START_MAX_MS = 5_000 + POLL_MS + 2_000;

/** A point that has not been come by after this is one that nothing in the scenario leads to. */
const REACH_MS = 8_000;

/** Always at work: its turns are longer than the silence after which a pulse is felt, and it is no silence. */
const STANDING = "stray\nuse:10\nwork:400";
const SILENCE_MS = 150;

/** Over four fifths of an issue's tokens, so that the agent is asked to come to an end. */
const TOKENS_MAX = 1_000_000;

export const killedAtPoints: Suite = {
  name: "F3",
  linuxOnly: "/proc tells which run a process belongs to",
  promise: "killed at any named point of its life, the daemon goes on as if it had been asked to",
  rounds: { test: 5, ci: points.length, release: 20 * points.length },
  run: (rounds, seed) => new Points(rounds, seed).run(),
  judge: (figures) =>
    all(
      none("unreached", "lost", "doubled", "orphans", "forgotten", "tokensTwice", "unfinished", "unrescued"),
      atMost({ slowestStartMs: START_MAX_MS }),
      atLeast({
        killed: figures["rounds"] ?? 1,
        differentPoints: Math.min(figures["rounds"] ?? 1, points.length),
      }),
    )(figures),
};

class Points {
  readonly #rounds: number;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #reached = new Set<string>();
  #parked = "";
  #standing = "";
  /** Tickets that came to provoke something and are closed when the daemon is dead. */
  readonly #passing: string[] = [];
  /** Tickets whose work nobody pushed. */
  readonly #worked: string[] = [];
  /** The last life was ended with an agent at work. */
  #leftAtWork = false;
  readonly #figures = {
    rounds: 0,
    killed: 0,
    unreached: 0,
    differentPoints: 0,
    slowestStartMs: 0,
    lost: 0,
    doubled: 0,
    orphans: 0,
    forgotten: 0,
    tokensTwice: 0,
    unfinished: 0,
    /** Workspaces that went without the work in them. */
    unrescued: 0,
  };

  constructor(rounds: number, seed: number) {
    this.#rounds = rounds;
    this.#seed = seed;
    this.#random = generator(seed);
  }

  async run(): Promise<Figures> {
    const ground = await Ground.open({
      maxTurns: 1_000,
      agent: "max_retry_backoff_ms: 100",
      codex: `stall_timeout_ms: ${SILENCE_MS}`,
      extra: `shutdown: {grace_ms: 2000}\nlimits: {${NO_LIMITS}, max_failures: 2, max_tokens_per_issue: ${TOKENS_MAX}}`,
    });
    try {
      await this.#begin(ground);
      let order: readonly PointOfLife[] = [];
      for (let round = 0; round < this.#rounds; round += 1) {
        if (round % points.length === 0) order = this.#shuffled();
        const next = order[round % points.length];
        if (next === undefined) continue;
        await this.#round(ground, next).catch((error: unknown) => {
          process.stderr.write(`${killedAtPoints.name} seed ${this.#seed} round ${round}: "${next.point}"\n`);
          throw error;
        });
      }
      await this.#finish(ground);
      return this.#figures;
    } finally {
      await ground.end();
    }
  }

  #shuffled(): readonly PointOfLife[] {
    return points
      .map((point) => ({ point, at: this.#random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ point }) => point);
  }

  async #begin(ground: Ground): Promise<void> {
    this.#parked = ground.ticket("fail");
    const first = ground.baton();
    await first.said("parked", of(this.#parked));
    await first.kill();
    this.#standing = ground.ticket(STANDING);
  }

  /**
   * One life, whose end is seen by the next. Two for a point of the start, which must find what a kill at work left behind.
   */
  async #round(ground: Ground, { point, by }: PointOfLife): Promise<void> {
    if (by === "a start" && !this.#leftAtWork) await this.#workAndDie(ground, point);
    const daemon = ground.mortal(by === "a start" ? point : undefined);
    if (by !== "a start") {
      await this.#steady(ground, daemon);
      daemon.child.send({ dieAt: point });
      await this.#provoke(ground, daemon, by);
    }
    await this.#death(daemon, point);
    this.#judge(ground, daemon, point);
    if (by === "a start") await this.#workAndDie(ground, point);
    this.#leftAtWork = by !== "a stop";
    for (const name of this.#passing.splice(0)) ground.close(name);
  }

  async #workAndDie(ground: Ground, point: string): Promise<void> {
    const daemon = ground.baton();
    await this.#steady(ground, daemon);
    await daemon.kill();
    this.#judge(ground, daemon, point);
  }

  /** The standing ticket is at work, and of those that were closed nothing is left but what the sweep takes. */
  async #steady({ witness, rig }: Ground, daemon: Daemon): Promise<void> {
    await daemon.said("daemon_started");
    this.#figures.orphans += witness.orphans(daemon);
    await daemon.said("turn_started", of(this.#standing));
    await daemon.said("polled");
    const held = (): boolean =>
      rig.ledger((ledger) => ledger.load().claims.some(({ phase }) => phase === "waiting"));
    await daemon.until(() => (held() ? undefined : true), "the end of closed tickets");
    const tookMs = Math.round(performance.now() - daemon.launchedAt);
    this.#figures.slowestStartMs = Math.max(this.#figures.slowestStartMs, tookMs);
    this.#figures.doubled += witness.doubled();
  }

  async #provoke(ground: Ground, daemon: Daemon, by: PointOfLife["by"]): Promise<void> {
    switch (by) {
      case "nothing":
      case "a start":
        return;
      case "a new ticket":
        return void this.#pass(ground, "use:10\nwork:60000");
      case "a ticket whose turns end":
        return void this.#pass(ground, "use:10");
      case "a ticket that is closed under its agent": {
        const name = this.#pass(ground, "write:work\nwork:50");
        // It may be dead before it can say so.
        const wrote = await Promise.race([
          daemon.said("turn_started", of(name)).then(
            () => true,
            () => false,
          ),
          daemon.exit.then(() => false),
        ]);
        if (wrote) this.#worked.push(name);
        return ground.close(name);
      }
      case "a refusal of the provider":
        return void this.#pass(ground, "limit:1");
      case "a blocked ticket":
        return void this.#passing.push(ground.blocked("use:10", this.#standing));
      case "an order":
        return this.#order(ground);
      case "many tokens":
        return void this.#pass(ground, `use:${0.85 * TOKENS_MAX}\nwork:60000`);
      case "a stop":
        return void daemon.child.kill("SIGTERM");
    }
  }

  #pass(ground: Ground, script: string): string {
    const name = ground.ticket(script);
    this.#passing.push(name);
    return name;
  }

  /** A pause that is over by the time it is obeyed, or nearly: it has to be written down, and stops nothing for long. */
  #order({ rig }: Ground): void {
    const now = Date.now();
    const why = "a test";
    giveOrder(
      rig.ledgerPath,
      { type: "pause", scope: EVERYTHING, why, until: instant(now + 1) },
      instant(now),
    );
  }

  async #death(daemon: Daemon, point: string): Promise<void> {
    this.#figures.rounds += 1;
    const timer = setTimeout(() => daemon.child.kill("SIGINT"), REACH_MS);
    const late = setTimeout(() => daemon.child.kill("SIGTERM"), REACH_MS + 1_000);
    await daemon.exit;
    clearTimeout(timer);
    clearTimeout(late);
    if (daemon.child.signalCode === "SIGKILL") {
      this.#figures.killed += 1;
      this.#reached.add(point);
      this.#figures.differentPoints = this.#reached.size;
      return;
    }
    this.#figures.unreached += 1;
    process.stderr.write(
      `${killedAtPoints.name} seed ${this.#seed}: "${point}" was not come by\n${daemon.noise.join("\n")}\n`,
    );
  }

  #judge({ witness }: Ground, daemon: Daemon, point: string): void {
    const lost = witness.lost(daemon);
    const forgotten = daemon.lines.filter(
      of(this.#parked, ({ fact }) => fact === "claimed" || fact === "parked"),
    ).length;
    this.#figures.lost += lost;
    this.#figures.forgotten += forgotten;
    if (lost + forgotten > 0)
      process.stderr.write(
        `${killedAtPoints.name} seed ${this.#seed} "${point}": ${lost} lost, ${forgotten} forgotten\n`,
      );
  }

  async #finish(ground: Ground): Promise<void> {
    const { rig, witness } = ground;
    const last = ground.baton();
    await this.#steady(ground, last);
    for (const name of [this.#standing, this.#parked]) ground.close(name);
    const claims = (): number => rig.ledger((ledger) => ledger.load().claims.length);
    await last.until(() => (claims() > 0 ? undefined : true), "the end of all tickets");
    await last.stop();
    // What could not be removed before the stop is found by the sweep of the next start.
    const sweeping = ground.baton();
    const left = (): number => this.#worked.filter((name) => existsSync(rig.workspace(name))).length;
    await sweeping.said("polled");
    await sweeping.until(() => (left() > 0 ? undefined : true), "the removal of all workspaces");
    await sweeping.stop();
    this.#figures.unfinished = claims() + left() + witness.openRuns() + witness.alive().length;
    this.#figures.doubled += witness.met();
    this.#figures.tokensTwice = witness.tokens().twice;
    const rescues = await listRescues(join(dirname(rig.ledgerPath), "rescue"));
    this.#figures.unrescued = this.#worked.filter(
      (name) => !rescues.some(({ manifest }) => manifest.identifier === name && manifest.files.length === 1),
    ).length;
  }
}
