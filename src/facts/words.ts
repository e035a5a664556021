/** How durations, counts, token totals and failures are put into words. */
import {
  DAY_MS,
  type Failure,
  HOUR_MS,
  type Instant,
  MINUTE_MS,
  type Outcome,
  type RunKind,
  SECOND_MS,
  type Tokens,
} from "../domain/domain.ts";

/** `80 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${whole} ms`;
  // 59.96 s would be written 60.0 s.
  if (whole < MINUTE_MS - 50) return `${(whole / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(whole / SECOND_MS) * SECOND_MS;
  if (seconds < HOUR_MS) return pair(seconds, MINUTE_MS, "min", SECOND_MS, "s");
  const minutes = Math.round(whole / MINUTE_MS) * MINUTE_MS;
  if (minutes < DAY_MS) return pair(minutes, HOUR_MS, "h", MINUTE_MS, "min");
  return pair(Math.round(whole / HOUR_MS) * HOUR_MS, DAY_MS, "d", HOUR_MS, "h");
}

function pair(ms: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)} ${bigUnit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`;
}

/** `in 40.0 s`, `now` when the time has come. */
export const inTime = (until: Instant, at: Instant): string =>
  until <= at ? "now" : `in ${duration(until - at)}`;

/** `2031-05-09 08:00:00 UTC`: the same for everybody who reads it. */
export function clockTime(at: Instant): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `1 turn`, `3 turns`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${number(n)} ${n === 1 ? one : many}`;

/** `1,234,567`, in every locale. */
export const number = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ",");

export const tokenWords = ({ total, input, cachedInput, output }: Tokens): string =>
  total === 0
    ? "no tokens"
    : `${number(total)} tokens (${number(input)} in, ${number(cachedInput)} of them cached, ${number(output)} out)`;

/** Message and what to do about it. */
export const failureWords = ({ message, hint }: Failure): string =>
  hint === null ? message : `${message}${message.endsWith(".") ? "" : "."} ${hint}`;

export function runWords(kind: RunKind, attempt: number | null): string {
  switch (kind) {
    case "first":
      return attempt === null ? "first run" : `first run, attempt ${attempt}`;
    case "continuation":
      return "another run, the issue is still active";
    case "retry":
      return `retry ${attempt ?? 1}`;
  }
}

export function outcomeWords(outcome: Outcome): string {
  switch (outcome) {
    case "completed":
      return "completed";
    case "failed":
      return "failed";
    case "timed_out":
      return "ran out of time";
    case "stalled":
      return "stalled: the agent fell silent";
    case "canceled":
      return "was canceled";
    case "interrupted":
      return "was interrupted";
    case "lost":
      return "was lost: the daemon died under it";
  }
}
