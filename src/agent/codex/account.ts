/**
 * How much of a turn goes into its account. The whole is in Codex's own rollout; here are its first items, and how many
 * there were beyond them: a model that writes a hundred megabytes must not make a ledger of two hundred.
 */
import type { FactBody } from "../../domain/domain.ts";

/** Facts of one turn that are kept, and how much they hold: a turn of an hour has some hundreds, with half a megabyte. */
export const FACTS_MAX = 5_000;
export const FACT_CHARS_MAX = 8 * 1024 * 1024;

export class TurnAccount {
  #facts = 0;
  #chars = 0;
  #leftOut = 0;
  #leftOutChars = 0;

  /** Whether this fact of the turn is kept. */
  keeps(fact: FactBody): boolean {
    const { length } = JSON.stringify(fact);
    if (this.#facts < FACTS_MAX && this.#chars + length <= FACT_CHARS_MAX) {
      this.#facts += 1;
      this.#chars += length;
      return true;
    }
    this.#leftOut += 1;
    this.#leftOutChars += length;
    return false;
  }

  /** The turn is over: what was left out of its account, null = nothing; and the next one begins. */
  close(): FactBody | null {
    const [count, chars, kept] = [this.#leftOut, this.#leftOutChars, this.#facts];
    [this.#facts, this.#chars, this.#leftOut, this.#leftOutChars] = [0, 0, 0, 0];
    if (count === 0) return null;
    const megabytes = (chars / 1024 / 1024).toFixed(1);
    const message = `The turn did more than its account holds: its first ${kept} items were kept, ${count} more (${megabytes} MB) were left out. The whole is in Codex's own record of the thread.`;
    return { type: "warning", message };
  }
}
