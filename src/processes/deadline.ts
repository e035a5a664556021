/**
 * Does `work` under a signal that comes when time is up, or with the one that is given. Both end with the work:
 * `AbortSignal.timeout` would stay in memory for its minutes after each removal.
 */
export async function withDeadline<T>(
  ms: number,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(new Error(`it took longer than ${ms / 1_000} s`)), ms);
  const stop = (): void => end.abort(given?.reason);
  given?.addEventListener("abort", stop, { once: true });
  if (given?.aborted === true) stop();
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", stop);
  }
}
