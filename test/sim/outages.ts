/**
 * Faults that are no ticket's, and last longer than a ticket's brakes: the provider answers nobody, the root of the
 * workspaces cannot be written, codex is not there, the host that every workspace is cloned from is down.
 */
import { failure, type Failure } from "../../src/domain/failure.ts";
import { duration } from "../../src/facts/words.ts";
import type { Counted } from "./figures.ts";
import type { Ground } from "./ground.ts";
import type { Random } from "./random.ts";
import { DAY_MS, HOUR_MS } from "./timeline.ts";

type What = "provider" | "root" | "codex" | "host";

const WHAT: Readonly<Record<What, readonly [Counted, who: string, does: string]>> = {
  provider: ["providerOutages", "the provider", "answers nobody"],
  root: ["rootFaults", "the root of the workspaces", "cannot be written"],
  codex: ["codexFaults", "codex", "is not where it was"],
  host: ["hostFaults", "the git host", "is down"],
};

/** Only some worlds know them: what the others show stays what it was. */
const KNOWN_SHARE = 0.4;

/** There, how often each of them happens. */
const PER_DAY = 0.7;

/** Longer than ten failures of a ticket take, with the longest pauses between them. */
const SHORTEST_MS = 10 * 60_000;
const LONGEST_MS = 5 * HOUR_MS;

/** What strikes a run, and by which outage: they are numbered in order. */
export interface Stroke {
  readonly outage: number;
  readonly why: Failure;
}

export class Outages {
  /** This world has them. */
  readonly known: boolean;
  readonly #ground: Ground;
  readonly #random: Random;
  /** The last of each, and the true time at which it ends. */
  readonly #last = new Map<What, { readonly number: number; readonly until: number }>();
  #begun = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#random = ground.stream("outages");
    this.known = this.#random.chance(KNOWN_SHARE);
    if (this.known) for (const what of Object.keys(WHAT) as What[]) this.#next(what);
  }

  #next(what: What): void {
    const { timeline, calm } = this.#ground;
    timeline.in((-Math.log(1 - this.#random.next()) * DAY_MS) / PER_DAY, () => {
      if (!calm()) this.#begin(what);
      this.#next(what);
    });
  }

  #begin(what: What): void {
    const { timeline, figures, tell } = this.#ground;
    const ms = this.#random.spread(SHORTEST_MS, LONGEST_MS);
    this.#begun += 1;
    this.#last.set(what, { number: this.#begun, until: timeline.true + ms });
    const [counted, who, does] = WHAT[what];
    figures.add(counted);
    tell("fault", who, () => `${does} for ${duration(ms)}`);
  }

  /** Faults stop. */
  end(): void {
    this.#last.clear();
  }

  /** The provider answers nobody now. */
  get silent(): boolean {
    return this.#under("provider") !== null;
  }

  /** What keeps a run from beginning now; null = nothing does. */
  ofBeginning(): Stroke | null {
    const [root, codex, host] = [this.#under("root"), this.#under("codex"), this.#under("host")];
    if (root !== null) return { outage: root, why: failure("root_unusable", "the root cannot be written") };
    if (host !== null) {
      const kind = this.#random.chance(0.5) ? "hook_failed" : "hook_timeout";
      return { outage: host, why: failure(kind, "the git host does not answer") };
    }
    return codex === null ? null : { outage: codex, why: failure("codex_not_found", "codex is not there") };
  }

  /** How a turn ends while the provider answers nobody; null = it answers. */
  ofTurn(): Stroke | null {
    const provider = this.#under("provider");
    if (provider === null) return null;
    const kind = this.#random.chance(0.5) ? "provider_overloaded" : "provider_unreachable";
    return { outage: provider, why: failure(kind, "the provider answers nobody") };
  }

  /** The number of the outage that is under way; null = none is. */
  #under(what: What): number | null {
    const last = this.#last.get(what);
    return last !== undefined && last.until > this.#ground.timeline.true ? last.number : null;
  }
}
