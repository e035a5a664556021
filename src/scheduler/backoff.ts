/** When to try again. Pure arithmetic; the caller says what counts as a failure. */

/** After a run that ended well with the issue still active (SPEC 8.4). */
export const CONTINUATION_MS = 1_000;

const FIRST_RETRY_MS = 10_000;

/** `min(10 s * 2^(failures - 1), cap)` after the given number of consecutive failures, at least 1 (SPEC 8.4). */
export function backoffMs(failures: number, capMs: number): number {
  // 2^30 * 10 s is centuries: beyond it the cap has long won, and doubles stay exact.
  const doublings = Math.min(Math.max(failures, 1) - 1, 30);
  return Math.min(FIRST_RETRY_MS * 2 ** doublings, capMs);
}
