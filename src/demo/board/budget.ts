/**
 * The hourly budgets of the key, and the headers that tell of them, named as Linear names them. Leaky buckets, as Linear
 * has them: each fills up again evenly, by its limit in an hour.
 */

export interface BudgetLimits {
  readonly requests: number;
  readonly complexity: number;
}

const HOUR_MS = 60 * 60 * 1000;

/** A demo or a benchmark must never run into them by chance. What is taken of these stays taken, and can be read off. */
const endless: BudgetLimits = { requests: 1_000_000, complexity: 1_000_000_000 };

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #now: () => Date;
  /** What is taken of each, as of `#at`. */
  #taken: BudgetLimits = { requests: 0, complexity: 0 };
  #at: number;

  constructor(limits: BudgetLimits = endless, now: () => Date) {
    this.#limits = limits;
    this.#now = now;
    this.#at = now().getTime();
  }

  spend(complexity: number): void {
    this.#fill();
    this.#taken = { requests: this.#taken.requests + 1, complexity: this.#taken.complexity + complexity };
  }

  isUsedUp(): boolean {
    this.#fill();
    const [taken, limits] = [this.#taken, this.#limits];
    return taken.requests > limits.requests - 1 || taken.complexity >= limits.complexity;
  }

  headers(): Readonly<Record<string, string>> {
    this.#fill();
    const { requests, complexity } = this.#taken;
    return this.#headersOf(this.#limits.requests - requests, (of) => this.#wholeAt(of), complexity);
  }

  /** The headers of a key that may ask again at `resetAt`. */
  usedUp(resetAt: Date): Readonly<Record<string, string>> {
    this.#fill();
    return this.#headersOf(0, () => resetAt.getTime(), this.#taken.complexity);
  }

  #fill(): void {
    if (this.#limits === endless) return;
    const at = this.#now().getTime();
    const part = Math.max(0, at - this.#at) / HOUR_MS;
    const { requests, complexity } = this.#taken;
    this.#taken = {
      requests: Math.max(0, requests - part * this.#limits.requests),
      complexity: Math.max(0, complexity - part * this.#limits.complexity),
    };
    this.#at = at;
  }

  #wholeAt(of: keyof BudgetLimits): number {
    return this.#at + Math.ceil((this.#taken[of] / this.#limits[of]) * HOUR_MS);
  }

  #headersOf(
    requestsLeft: number,
    resetAt: (of: keyof BudgetLimits) => number,
    complexityTaken: number,
  ): Readonly<Record<string, string>> {
    return {
      "x-ratelimit-requests-limit": String(this.#limits.requests),
      "x-ratelimit-requests-remaining": leftOf(requestsLeft),
      "x-ratelimit-requests-reset": String(resetAt("requests")),
      "x-ratelimit-complexity-limit": String(this.#limits.complexity),
      "x-ratelimit-complexity-remaining": leftOf(this.#limits.complexity - complexityTaken),
      "x-ratelimit-complexity-reset": String(resetAt("complexity")),
    };
  }
}

const leftOf = (amount: number): string => String(Math.max(0, Math.floor(amount)));
