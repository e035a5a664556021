/** One call after a burst of calls: when it has been quiet for a while, but never later than a bound after the first. */

export interface Debounced {
  /** Something happened. */
  readonly call: () => void;
  /** Drops a call that is due. */
  readonly cancel: () => void;
}

export function debounced(
  run: () => void,
  ms: { readonly quiet: number; readonly latest: number },
): Debounced {
  let quiet: NodeJS.Timeout | undefined;
  let latest: NodeJS.Timeout | undefined;
  const cancel = () => {
    clearTimeout(quiet);
    clearTimeout(latest);
    quiet = latest = undefined;
  };
  const due = () => {
    cancel();
    run();
  };
  const call = () => {
    clearTimeout(quiet);
    quiet = setTimeout(due, ms.quiet);
    latest ??= setTimeout(due, ms.latest);
  };
  return { call, cancel };
}
