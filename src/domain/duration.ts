/** Spans of time in words, the same wherever they are said. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts";

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
