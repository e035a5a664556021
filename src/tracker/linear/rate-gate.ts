/**
 * What is done about a used-up rate limit: nothing more is sent before its end, by anybody who uses the same key. Then
 * one request goes ahead, and the others wait for what it learns: a limit that is still used up costs one request.
 *
 * States: open → shut (until a time) → tried (that time has come, one request is out) → open or shut.
 */
import { after, type Instant, later } from "../../domain/domain.ts";

/** When the server does not say until when: the first pause, doubled with each refusal in a row up to the longest. */
const PAUSE_MS = 10_000;

/** Linear's budgets are per hour. */
const PAUSE_MAX_MS = 60 * 60_000;

/** How often in a row a server may name a time that is nearer than our first pause, before that is not believed. */
const NEAR_TIMES_MAX = 2;

/** Lets a request through; to be called once, when it has ended. Returns when to ask again, null = at any time. */
export type Pass = (ending: Ending) => Instant | null;

/**
 * `fine`: anything but a refusal for the limit's sake. `nothing`: we gave the request up ourselves. `until`: what the
 * server said, null when it said nothing that can be used.
 */
export type Ending =
  | { readonly said: "fine" | "nothing" }
  | { readonly said: "limited"; readonly until: Instant | null };

export class RateGate {
  readonly #clock: () => Instant;
  #until: Instant | null = null;
  /** Refusals in a row. */
  #refusals = 0;
  #trial: Promise<void> | null = null;

  constructor(clock: () => Instant) {
    this.#clock = clock;
  }

  /**
   * A pass, or the time before which it makes no sense to ask. Waits while another request finds out, at most until the
   * signal aborts: then there is a pass, with which the request fails by that signal itself.
   */
  async enter(signal: AbortSignal): Promise<Pass | Instant> {
    while (this.#trial !== null && !signal.aborted) await eitherOf(this.#trial, signal);
    if (this.#until === null || signal.aborted) return (ending) => this.#heard(ending);
    if (this.#until > this.#clock()) return this.#until;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#trial = promise;
    return (ending) => {
      this.#trial = null;
      resolve();
      if (ending.said === "fine") this.#open();
      return this.#heard(ending);
    };
  }

  // An answer without a refusal opens nothing by itself: it may be to what was sent before the limit was used up.
  #heard(ending: Ending): Instant | null {
    if (ending.said !== "limited") return null;
    this.#shut(ending.until);
    return this.#until;
  }

  #open(): void {
    this.#until = null;
    this.#refusals = 0;
  }

  #shut(said: Instant | null): void {
    const now = this.#clock();
    const known = this.#until !== null && this.#until > now ? this.#until : null;
    // Those that were under way together are refused together.
    if (known === null) this.#refusals++;
    const pause = Math.min(PAUSE_MS * 2 ** Math.min(this.#refusals - 1, 20), PAUSE_MAX_MS);
    const isUsable =
      said !== null && said > now && (said - now >= PAUSE_MS || this.#refusals <= NEAR_TIMES_MAX);
    this.#until = later(isUsable ? said : after(now, pause), known);
  }
}

/** One gate per key and place, however many workflows and reloads use it. */
export function rateGates(
  clock: () => Instant,
): (of: { readonly endpoint: string; readonly apiKey: string }) => RateGate {
  const gates = new Map<string, RateGate>();
  return ({ endpoint, apiKey }) => {
    const name = `${endpoint} ${apiKey.trim()}`;
    const gate = gates.get(name) ?? new RateGate(clock);
    gates.set(name, gate);
    return gate;
  };
}

async function eitherOf(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", stop);
}
