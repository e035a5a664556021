/** One line of the result, and the arithmetic for it. */

export interface Figure {
  readonly what: string;
  /** What was measured, with its unit, as it is to be read. */
  readonly measured: string;
  /** The promise, as it is to be read; null for a figure that explains another. */
  readonly target: string | null;
  /** Whether the promise is kept; null without one. */
  readonly met: boolean | null;
  /** How it was measured, in a few words. */
  readonly how: string;
}

/** The middle value, or the mean of the two middle ones. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
};

/** The smallest value that this share of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;

/** A figure with a bound it must not exceed. */
export const bounded = (
  what: string,
  value: number,
  { max, unit, digits, how }: { max: number; unit: string; digits: number; how: string },
): Figure => ({
  what,
  measured: `${value.toFixed(digits)} ${unit}`,
  target: `≤ ${max} ${unit}`,
  // Compared as measured, not as shown.
  met: value <= max,
  how,
});

/** A figure that must not exceed a multiple of another one of the same run. */
export const multiple = (
  what: string,
  value: number,
  { max, how, digits = 2 }: { max: number; how: string; digits?: number },
): Figure => bounded(what, value, { max, unit: "x", digits, how });

/** A figure that explains another. */
export const aside = (what: string, measured: string, how: string): Figure => ({
  what,
  measured,
  target: null,
  met: null,
  how,
});
