/** Points in time. Everything that decides receives them in events; only daemon/clock.ts makes them from a clock. */

/** Whole milliseconds since the Unix epoch. */
export type Instant = number & { readonly __brand: "Instant" };

/** Spans of time. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The one place where a number becomes an instant: a whole one, since the ledger's columns take no other. */
export const instant = (msSinceEpoch: number): Instant => Math.round(msSinceEpoch) as Instant;

/** The instant `ms` milliseconds after `at` (before it when negative). */
export const after = (at: Instant, ms: number): Instant => instant(at + ms);

/** The earlier of two instants; null means "never". */
export const earlier = (a: Instant | null, b: Instant | null): Instant | null =>
  a === null ? b : b === null ? a : a <= b ? a : b;

/** The later of two instants; null means "at any time". */
export const later = (a: Instant, b: Instant | null): Instant => (b === null || a >= b ? a : b);
