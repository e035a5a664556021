/**
 * What each use of a key has taken of the hour's budget. Every share is an account that fills up again evenly, as Linear's
 * own limit does: who has used up a share at once waits minutes for the next question, and not until an hour is over. What
 * is in no share is an account too, for whoever needs it first.
 */
import { HOUR_MS, type Instant } from "../../domain/domain.ts";
import type { Use } from "./points.ts";

export interface Cost {
  readonly points: number;
  readonly requests: number;
}

/** Of what Linear allows, so much is kept for each use. */
export const SHARES: Readonly<Record<Use, number>> = {
  running: 0.1,
  hydration: 0.2,
  scan: 0.3,
  agents: 0.2,
  survey: 0.05,
};

const USES = Object.keys(SHARES) as readonly Use[];

/** For whoever needs it first, other programs with the same key included. */
export const REST = 1 - USES.reduce((sum, use) => sum + SHARES[use], 0);

type Account = Use | "rest";

const sizeOf = (account: Account): number => (account === "rest" ? REST : SHARES[account]);

/** What binary numbers add to a sum of tenths. */
const NOTHING = 0.001;

type Unit = keyof Cost;

/** In points, or in requests. */
export class Accounts {
  readonly #clock: () => Instant;
  readonly #unit: Unit;
  readonly #taken = new Map<Account, number>();
  #at: Instant | null = null;
  /** What Linear allows in an hour. */
  limit: number;

  constructor(clock: () => Instant, unit: Unit, limit: number) {
    this.#clock = clock;
    this.#unit = unit;
    this.limit = limit;
  }

  /** From its own share first, then from the rest; what is in neither is owed by the share. */
  spend(use: Use, cost: Cost): void {
    this.#fill();
    const own = Math.min(cost[this.#unit], Math.max(0, this.#left(use)));
    const rest = Math.min(cost[this.#unit] - own, Math.max(0, this.#left("rest")));
    this.#add(use, cost[this.#unit] - rest);
    this.#add("rest", rest);
  }

  /** How long until this is there, in milliseconds; 0 = it is. */
  waitFor(use: Use, cost: Cost): number {
    this.#fill();
    const size = (sizeOf(use) + REST) * this.limit;
    // Whatever costs more than there can ever be is waited for until everything is there.
    const short = Math.min(cost[this.#unit], size) - this.#left(use) - this.#left("rest");
    return short < NOTHING ? 0 : Math.ceil((short / size) * HOUR_MS);
  }

  /** Whether this leaves so much of the share (a part of 1) untouched, and takes nothing of the rest. */
  leaves(part: number, use: Use, cost: Cost): boolean {
    this.#fill();
    return this.#left(use) - cost[this.#unit] >= part * sizeOf(use) * this.limit;
  }

  /** What the others have not taken of what is kept for them. */
  keptFrom(use: Use): number {
    this.#fill();
    return USES.filter((one) => one !== use).reduce((sum, one) => sum + Math.max(0, this.#left(one)), 0);
  }

  #left(account: Account): number {
    return sizeOf(account) * this.limit - (this.#taken.get(account) ?? 0);
  }

  #add(account: Account, amount: number): void {
    this.#taken.set(account, (this.#taken.get(account) ?? 0) + amount);
  }

  #fill(): void {
    const now = this.#clock();
    const sinceMs = Math.max(0, now - (this.#at ?? now));
    this.#at = now;
    for (const [account, taken] of this.#taken)
      this.#taken.set(account, Math.max(0, taken - (sizeOf(account) * this.limit * sinceMs) / HOUR_MS));
  }
}
