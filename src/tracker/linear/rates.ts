/** What response headers say about budgets, and when to come back. Pure. */
import { after, DAY_MS, instant, type Instant } from "../../domain/domain.ts";
import type { AnswerHeaders } from "./http.ts";

/** Kept headers per response: Linear sends six to nine; a server that sends more is not read further. */
const RATES_MAX = 24;

/** A reset further away is not believed: Linear's windows are an hour, and a wrong clock must not stop work for good. */
const RESET_MAX_MS = DAY_MS;

/** Epoch seconds stay below this number until the year 5138, epoch milliseconds have been above it since 1973. */
const SECONDS_BELOW = 1e11;

const prefix = "x-ratelimit-";

/** The numbers among the `x-ratelimit-*` headers, by name without the prefix. */
export function ratesOf(headers: AnswerHeaders): Readonly<Record<string, number>> {
  const rates = Object.entries(headers)
    .filter(([name, value]) => name.startsWith(prefix) && value.trim() !== "")
    .map(([name, value]) => [name.slice(prefix.length), Number(value)] as const)
    .filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(rates.slice(0, RATES_MAX));
}

/**
 * When the server is ready to answer again: `retry-after` (seconds or a date) if it is there, else the latest reset of
 * the budgets that are used up, else the earliest reset that is known. Null when nothing usable was said.
 */
export function retryAtOf(headers: AnswerHeaders, now: Instant): Instant | null {
  const asked = retryAfter(headers["retry-after"] ?? null, now);
  if (asked !== null) return asked;
  const budgets = budgetsOf(ratesOf(headers), now);
  const empty = budgets.filter((budget) => budget.remaining !== null && budget.remaining <= 0);
  if (empty.length > 0) return instant(Math.max(...empty.map((budget) => budget.resetAt)));
  return budgets.length > 0 ? instant(Math.min(...budgets.map((budget) => budget.resetAt))) : null;
}

interface Budget {
  readonly resetAt: Instant;
  readonly remaining: number | null;
}

function budgetsOf(rates: Readonly<Record<string, number>>, now: Instant): readonly Budget[] {
  return Object.entries(rates).flatMap(([name, value]) => {
    if (!name.endsWith("reset")) return [];
    const resetAt = instant(value < SECONDS_BELOW ? value * 1000 : value);
    const remaining = rates[name.replace(/reset$/, "remaining")] ?? null;
    return believable(resetAt, now) ? [{ resetAt, remaining }] : [];
  });
}

function retryAfter(header: string | null, now: Instant): Instant | null {
  if (header === null) return null;
  const seconds = /^\d{1,7}$/.test(header.trim()) ? Number(header) : null;
  const at = seconds === null ? instant(Date.parse(header)) : after(now, seconds * 1000);
  return believable(at, now) ? at : null;
}

const believable = (at: Instant, now: Instant): boolean => at >= now && at - now <= RESET_MAX_MS;
