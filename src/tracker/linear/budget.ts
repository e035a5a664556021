/**
 * What one key may ask of Linear in an hour, divided among those who ask: however long the list of candidates is, running
 * issues are looked up, tickets can start and agents get their answers. All workflows with the key, and every reload of
 * them, share one. It refuses only what can wait: a scan, and looks at candidates; never a call of an agent.
 */
import type { Pace } from "../port.ts";
import { after, HOUR_MS, instant, type Instant } from "../../domain/domain.ts";
import { Accounts, type Cost, SHARES } from "./accounts.ts";
import type { Use } from "./points.ts";

/**
 * In an hour, for a personal key: linear.app/developers/rate-limiting as of 2025. Copies of it disagree and keys differ
 * (1,500 to 5,000 requests, up to 3,000,000 points were seen), so what an answer's headers say counts as soon as there is one.
 */
export const USUAL: Cost = { points: 250_000, requests: 2_500 };

/** Where Linear says that less is left than we know of, it is asked again after this. */
const WAIT_MS = 60_000;

/** What does not fit in is asked for again no sooner than this, nor later. */
const AGAIN_MIN_MS = 1_000;
const AGAIN_MAX_MS = 10 * 60_000;

/**
 * Of the share for looks this part is kept from those at candidates that were refused and have not changed since: what is new
 * or due has room however many are blocked.
 */
const KEPT_FROM_TURNS = 0.5;

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

const UNITS = ["points", "requests"] as const satisfies readonly (keyof Cost)[];

export class Budget {
  readonly #clock: () => Instant;
  readonly #scanners = new Map<string, Scanner>();
  readonly #accounts: Readonly<Record<keyof Cost, Accounts>>;
  /** What the last answer said is left, when that was, and what went out since. */
  #told: { readonly left: Cost; readonly at: Instant; readonly since: Cost } | null = null;

  constructor(clock: () => Instant) {
    this.#clock = clock;
    this.#accounts = {
      points: new Accounts(clock, "points", USUAL.points),
      requests: new Accounts(clock, "requests", USUAL.requests),
    };
  }

  /** A request goes out. */
  spend(use: Use, points: number): void {
    const cost = { points, requests: 1 };
    for (const of of UNITS) this.#accounts[of].spend(use, cost);
    if (this.#told === null) return;
    const { since } = this.#told;
    this.#told = {
      ...this.#told,
      since: { points: since.points + points, requests: since.requests + 1 },
    };
  }

  /** The numbers of an answer's `x-ratelimit-*` headers, by name without the prefix. */
  heard(rates: Readonly<Record<string, number>>): void {
    const { points: ofPoints, requests: ofRequests } = this.#accounts;
    ofPoints.limit = positive(rates["complexity-limit"]) ?? ofPoints.limit;
    ofRequests.limit = positive(rates["requests-limit"]) ?? ofRequests.limit;
    const [points, requests] = [rates["complexity-remaining"], rates["requests-remaining"]];
    if (points === undefined && requests === undefined) return;
    const left = { points: points ?? ofPoints.limit, requests: requests ?? ofRequests.limit };
    this.#told = { left, at: this.#clock(), since: { points: 0, requests: 0 } };
  }

  /** Null = this may be asked on this account; else when it makes sense to try again. */
  mayAsk(use: Use, cost: Cost): Instant | null {
    const now = this.#clock();
    const waitMs = Math.max(...UNITS.map((of) => this.#accounts[of].waitFor(use, cost)));
    if (waitMs > 0) return after(now, Math.min(Math.max(waitMs, AGAIN_MIN_MS), AGAIN_MAX_MS));
    return UNITS.every((of) => this.#isTold(of, use, cost)) ? null : after(now, WAIT_MS);
  }

  /** The same of a look at candidates that were refused before and have not changed: it leaves room for the others. */
  mayLookAgain(cost: Cost): Instant | null {
    const leaves = UNITS.every((of) => this.#accounts[of].leaves(KEPT_FROM_TURNS, "hydration", cost));
    return leaves ? this.mayAsk("hydration", cost) : after(this.#clock(), WAIT_MS);
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
      byPoints >= byRequests
        ? ["points", this.#accounts.points.limit]
        : ["requests", this.#accounts.requests.limit];
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
    const share = (SHARES.running * this.#accounts.points.limit) / Math.max(1, this.#scanners.size);
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
    let left = SHARES.scan * this.#accounts[of].limit;
    const want = (cost[of] * HOUR_MS) / wishedMs;
    for (const [n, one] of wants.entries()) {
      const even = left / (wants.length - n);
      if (one > even) return want <= even ? wishedMs : (cost[of] * HOUR_MS) / even;
      left -= one;
    }
    return wishedMs;
  }

  /** Whether Linear's own word leaves room for it: what it says is left fills up again evenly as well. */
  #isTold(of: keyof Cost, use: Use, cost: Cost): boolean {
    if (this.#told === null) return true;
    const { left, at, since } = this.#told;
    const accounts = this.#accounts[of];
    const now = left[of] - since[of] + ((this.#clock() - at) / HOUR_MS) * accounts.limit - cost[of];
    // Within its own share, whatever others with the key have used; beyond it, what is kept for the others stays.
    return now >= (accounts.leaves(0, use, cost) ? 0 : accounts.keptFrom(use));
  }
}

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
