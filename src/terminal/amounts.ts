/** Times, spans and counts as tables show them: short, and of one width from row to row. */
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from "../domain/domain.ts";

const two = (n: number): string => String(n).padStart(2, "0");

/** `950`, `12.3k`, `340k`, `1.2M`, `41M`: three digits tell what a run cost. */
export function tokenCount(n: number): string {
  if (n < 1_000) return String(n);
  // 999,500 would be written 1000k.
  return n < 999_500 ? `${digits(n / 1_000)}k` : `${digits(n / 1_000_000)}M`;
}

/** One decimal while it says something. */
const digits = (n: number): string => (n < 99.95 ? n.toFixed(1).replace(/\.0$/, "") : n.toFixed(0));

/** `0.4s`, `42s`, `3m20s`, `1h05m`, `2d04h`. */
export function span(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 9_950) return `${(whole / SECOND_MS).toFixed(1)}s`;
  const seconds = Math.round(whole / SECOND_MS);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  const minutes = Math.round(whole / MINUTE_MS);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
  const hours = Math.round(whole / HOUR_MS);
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** `now`, `42 s ago`, `3 min ago`, `2 h ago`, `12 d ago`; a time to come reads `in 3 min`. */
export function relative(at: Instant, now: Instant): string {
  const away = Math.abs(now - at);
  if (away < SECOND_MS) return "now";
  return at <= now ? `${roughly(away)} ago` : `in ${roughly(away)}`;
}

function roughly(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

/** Local time: `03-07 14:05`, with the year when it is another one than now. */
export function stamp(at: Instant, now: Instant): string {
  const date = new Date(at);
  const year = date.getFullYear() === new Date(now).getFullYear() ? "" : `${date.getFullYear()}-`;
  return `${year}${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Local date and time to the second: `2031-03-07 14:05:09`. */
export function fullStamp(at: Instant): string {
  const date = new Date(at);
  const ymd = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${ymd} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Time since a run began: `0:42`, `3:20`, `1:05:09`. */
export function sinceStart(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / SECOND_MS);
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h === 0 ? `${m}:${two(s)}` : `${h}:${two(m)}:${two(s)}`;
}

/** ISO 8601 in UTC, for JSON. */
export const isoTime = (at: Instant | null): string | null =>
  at === null ? null : new Date(at).toISOString();
