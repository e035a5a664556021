/** Points in time. Everything that decides receives them in events; only daemon/clock.ts makes them from a clock. */

/** Milliseconds since the Unix epoch. */
export type Instant = number & { readonly __brand: "Instant" };

/** The one place where a number becomes an instant. */
export const instant = (msSinceEpoch: number): Instant => msSinceEpoch as Instant;

/** The instant `ms` milliseconds after `at` (before it when negative). */
export const after = (at: Instant, ms: number): Instant => instant(at + ms);

/** The earlier of two instants; null means "never". */
export const earlier = (a: Instant | null, b: Instant | null): Instant | null =>
  a === null ? b : b === null ? a : a <= b ? a : b;

/** The later of two instants; null means "at any time". */
export const later = (a: Instant, b: Instant | null): Instant => (b === null || a >= b ? a : b);
