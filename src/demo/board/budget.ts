/** The hourly budgets of the key, and the headers that tell of them, named as Linear names them. */

export interface BudgetLimits {
  readonly requests: number;
  readonly complexity: number;
}

const WINDOW_MS = 60 * 60 * 1000;

/** A demo or a benchmark must never run into them by chance. */
const endless: BudgetLimits = { requests: 1_000_000, complexity: 1_000_000_000 };

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #now: () => Date;
  #since: number;
  #requests = 0;
  #complexity = 0;

  constructor(limits: BudgetLimits = endless, now: () => Date) {
    this.#limits = limits;
    this.#now = now;
    this.#since = now().getTime();
  }

  spend(complexity: number): void {
    this.#requests++;
    this.#complexity += complexity;
  }

  isUsedUp(): boolean {
    const at = this.#now().getTime();
    if (at >= this.#since + WINDOW_MS) {
      this.#since = at;
      this.#requests = 0;
      this.#complexity = 0;
    }
    return this.#requests >= this.#limits.requests || this.#complexity >= this.#limits.complexity;
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headersOf(
      this.#limits.requests - this.#requests,
      this.#limits.complexity - this.#complexity,
      this.#since + WINDOW_MS,
    );
  }

  /** The headers of a key that may ask again at `resetAt`. */
  usedUp(resetAt: Date): Readonly<Record<string, string>> {
    return this.#headersOf(0, this.#limits.complexity - this.#complexity, resetAt.getTime());
  }

  #headersOf(requests: number, complexity: number, reset: number): Readonly<Record<string, string>> {
    return {
      "x-ratelimit-requests-limit": String(this.#limits.requests),
      "x-ratelimit-requests-remaining": String(Math.max(0, requests)),
      "x-ratelimit-requests-reset": String(reset),
      "x-ratelimit-complexity-limit": String(this.#limits.complexity),
      "x-ratelimit-complexity-remaining": String(Math.max(0, complexity)),
      "x-ratelimit-complexity-reset": String(reset),
    };
  }
}
