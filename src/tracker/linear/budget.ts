/**
 * What one key may ask of Linear in an hour, divided among those who ask: however long the list of candidates is, running
 * issues are looked up, tickets can start and agents get their answers. All workflows with the key, and every reload of
 * them, share one. It refuses only what can wait: a scan, and looks at candidates; never a call of an agent.
 */
import type { Pace } from "../port.ts";
import type { Use } from "./points.ts";
import { after, HOUR_MS, instant, type Instant } from "../../domain/domain.ts";

/**
 * Of what Linear allows, so much is kept for each use. The fifth that is left is for whoever needs it first, other programs
 * with the same key included.
 */
export const SHARES: Readonly<Record<Use, number>> = { running: 0.1, hydration: 0.2, scan: 0.3, agents: 0.2 };

interface Cost {
  readonly points: number;
  readonly requests: number;
}

/**
 * In an hour, for a personal key: linear.app/developers/rate-limiting as of 2025. Copies of it disagree and keys differ
 * (1,500 to 5,000 requests, up to 3,000,000 points were seen), so what an answer's headers say counts as soon as there is one.
 */
export const USUAL: Cost = { points: 250_000, requests: 2_500 };

/** A look at candidates that does not fit in is tried again after this. */
const WAIT_MS = 60_000;

/** Whose scan has not begun for so long is a text that was replaced: the longest interval is well below. */
const GONE_MS = 4 * HOUR_MS;

/** One workflow's scans. */
interface Scanner {
  wishedMs: number;
  /** Of its last scan; null = none has ended yet. */
  cost: Cost | null;
  begunAt: Instant | null;
  refreshedAt: Instant | null;
}

interface Spent extends Cost {
  readonly at: Instant;
  readonly use: Use;
}

const NOTHING: Cost = { points: 0, requests: 0 };

export class Budget {
  readonly #clock: () => Instant;
  readonly #scanners = new Map<string, Scanner>();
  #spent: Spent[] = [];
  #limit: Cost = USUAL;
  /** What the last answer said is left, and when that was. */
  #told: { readonly left: Cost; readonly at: Instant } | null = null;

  constructor(clock: () => Instant) {
    this.#clock = clock;
  }

  /** A request goes out. */
  spend(use: Use, points: number): void {
    this.#spent.push({ at: this.#clock(), use, points, requests: 1 });
  }

  /** The numbers of an answer's `x-ratelimit-*` headers, by name without the prefix. */
  heard(rates: Readonly<Record<string, number>>): void {
    const limit = { points: rates["complexity-limit"], requests: rates["requests-limit"] };
    this.#limit = {
      points: positive(limit.points) ?? this.#limit.points,
      requests: positive(limit.requests) ?? this.#limit.requests,
    };
    const [points, requests] = [rates["complexity-remaining"], rates["requests-remaining"]];
    if (points === undefined && requests === undefined) return;
    const left = { points: points ?? this.#limit.points, requests: requests ?? this.#limit.requests };
    this.#told = { left, at: this.#clock() };
  }

  /** Null = this may be asked on this account; else when it makes sense to try again. */
  mayAsk(use: Use, cost: Cost): Instant | null {
    const [spent, left] = [this.#spentBy(use), this.#left()];
    const fits = (of: keyof Cost): boolean =>
      left[of] >= cost[of] &&
      (spent[of] + cost[of] <= SHARES[use] * this.#limit[of] ||
        left[of] - cost[of] >= this.#keptFrom(use)[of]);
    return fits("points") && fits("requests") ? null : after(this.#clock(), WAIT_MS);
  }

  /** How often this workflow may scan when it wants to every so many milliseconds. */
  pace(name: string, wishedMs: number): Pace {
    const scanner = this.#scanner(name);
    scanner.wishedMs = wishedMs;
    const byPoints = this.#intervalOf(scanner, "points");
    const byRequests = this.#intervalOf(scanner, "requests");
    const needed = Math.max(byPoints, byRequests);
    if (needed <= wishedMs) return { everyMs: wishedMs, why: null };
    // Workflows are looked after at every interval that they wish for: a scan waits for the next of these.
    const everyMs = Math.ceil(needed / wishedMs) * wishedMs;
    const [of, limit] =
      byPoints >= byRequests ? ["points", this.#limit.points] : ["requests", this.#limit.requests];
    return { everyMs, why: `Linear allows ${limit} ${of} an hour` };
  }

  /** Whether its next scan may begin; if so, it has begun. */
  beginScan(name: string, wishedMs: number): boolean {
    const { everyMs } = this.pace(name, wishedMs);
    const scanner = this.#scanner(name);
    const now = this.#clock();
    if (scanner.begunAt !== null && everyMs > wishedMs) {
      if (now - scanner.begunAt < everyMs - SLACK_MS) return false;
      if (scanner.cost !== null && this.mayAsk("scan", scanner.cost) !== null) return false;
    }
    scanner.begunAt = now;
    scanner.refreshedAt = now;
    return true;
  }

  /** Its scan has ended, and cost this much. */
  endScan(name: string, cost: Cost): void {
    this.#scanner(name).cost = cost;
  }

  /** Whether running issues may be looked up between two scans, for so many points; if so, they are. */
  beginRefresh(name: string, points: number): boolean {
    const scanner = this.#scanner(name);
    const now = this.#clock();
    const share = (SHARES.running * this.#limit.points) / Math.max(1, this.#scanners.size);
    const dueAt = after(scanner.refreshedAt ?? instant(0), (points * HOUR_MS) / share - SLACK_MS);
    if (dueAt > now) return false;
    scanner.refreshedAt = now;
    return true;
  }

  #scanner(name: string): Scanner {
    const known = this.#scanners.get(name);
    if (known !== undefined) return known;
    const made: Scanner = { wishedMs: 0, cost: null, begunAt: null, refreshedAt: null };
    this.#scanners.set(name, made);
    return made;
  }

  /** Small boards scan as often as they wish; what they leave is divided evenly among the large ones. */
  #intervalOf({ cost, wishedMs }: Scanner, of: keyof Cost): number {
    if (cost === null) return wishedMs;
    const since = after(this.#clock(), -GONE_MS);
    const wants = [...this.#scanners.values()]
      .filter(({ begunAt }) => begunAt !== null && begunAt > since)
      .flatMap((one) => (one.cost === null ? [] : [(one.cost[of] * HOUR_MS) / one.wishedMs]))
      .sort((a, b) => a - b);
    let left = SHARES.scan * this.#limit[of];
    const want = (cost[of] * HOUR_MS) / wishedMs;
    for (const [n, one] of wants.entries()) {
      const even = left / (wants.length - n);
      if (one > even) return want <= even ? wishedMs : (cost[of] * HOUR_MS) / even;
      left -= one;
    }
    return wishedMs;
  }

  /** What the others have not used of what is kept for them. */
  #keptFrom(use: Use): Cost {
    const others = USES.filter((one) => one !== use).map((one) => ({ one, spent: this.#spentBy(one) }));
    const kept = (of: keyof Cost): number =>
      others.reduce((sum, { one, spent }) => sum + Math.max(0, SHARES[one] * this.#limit[of] - spent[of]), 0);
    return { points: kept("points"), requests: kept("requests") };
  }

  /** By our own count and by what the last answer said, whichever is less. Budgets fill up again evenly over the hour. */
  #left(): Cost {
    const now = this.#clock();
    const spent = USES.map((use) => this.#spentBy(use));
    const told = this.#told;
    const left = (of: keyof Cost): number => {
      const own = this.#limit[of] - spent.reduce((sum, one) => sum + one[of], 0);
      if (told === null) return own;
      const since = this.#spent.filter(({ at }) => at > told.at).reduce((sum, one) => sum + one[of], 0);
      return Math.min(own, told.left[of] + ((now - told.at) / HOUR_MS) * this.#limit[of] - since);
    };
    return { points: left("points"), requests: left("requests") };
  }

  #spentBy(use: Use): Cost {
    const since = after(this.#clock(), -HOUR_MS);
    this.#spent = this.#spent.filter(({ at }) => at > since);
    return this.#spent
      .filter((one) => one.use === use)
      .reduce((sum, one) => ({ points: sum.points + one.points, requests: sum.requests + 1 }), NOTHING);
  }
}

const USES = Object.keys(SHARES) as readonly Use[];

/** Ticks come some milliseconds early or late. */
const SLACK_MS = 500;

const positive = (value: number | undefined): number | null =>
  value !== undefined && value > 0 ? value : null;

/** One budget per key and place, however many workflows and reloads use it. */
export function budgets(
  clock: () => Instant,
): (of: { readonly endpoint: string; readonly apiKey: string }) => Budget {
  const made = new Map<string, Budget>();
  return ({ endpoint, apiKey }) => {
    const name = `${endpoint} ${apiKey.trim()}`;
    const budget = made.get(name) ?? new Budget(clock);
    made.set(name, budget);
    return budget;
  };
}
