/** Token counts and rate limits as Codex reports them. Neither report is a ledger: both repeat, and both lose things. */
import { highWater, noTokens, type ThreadId, type Tokens } from "../../domain/run.ts";
import { fieldsOf, isFields, numberOf, textOf, type Fields } from "./message.ts";

/** A thread's tokens: what was reported may repeat or, after a revert, shrink; what was used may not (I6). */
export class Meter {
  readonly #marks = new Map<ThreadId, Tokens>();

  /** The thread's new high-water mark; null when the report says nothing new. */
  update(thread: ThreadId, reported: Tokens): Tokens | null {
    const before = this.#marks.get(thread) ?? noTokens;
    const mark = highWater(before, reported);
    if (this.#marks.has(thread) && sameTokens(mark, before)) return null;
    this.#marks.set(thread, mark);
    return mark;
  }
}

const sameTokens = (a: Tokens, b: Tokens): boolean =>
  a.total === b.total &&
  a.input === b.input &&
  a.cachedInput === b.cachedInput &&
  a.output === b.output &&
  a.reasoningOutput === b.reasoningOutput;

/**
 * The cumulative counts in a usage report, wherever this version of Codex puts them: `tokenUsage.total` today,
 * `info.total_token_usage` once. `last` is never read: after a compaction it is an estimate, not a spend.
 */
export function totalTokens(report: Fields): Tokens | null {
  const places = [report["tokenUsage"], report["token_usage"], report["usage"], report["info"], report];
  for (const place of places) {
    const fields = fieldsOf(place);
    const total = fields["total"] ?? fields["total_token_usage"] ?? fields["totalTokenUsage"];
    if (isFields(total)) return tokensOf(total);
  }
  return null;
}

function tokensOf(fields: Fields): Tokens {
  const input = count(fields, "inputTokens", "input_tokens");
  const output = count(fields, "outputTokens", "output_tokens");
  return {
    input,
    cachedInput: count(fields, "cachedInputTokens", "cached_input_tokens"),
    output,
    reasoningOutput: count(fields, "reasoningOutputTokens", "reasoning_output_tokens"),
    total: count(fields, "totalTokens", "total_tokens") || input + output,
  };
}

const count = (fields: Fields, ...names: readonly string[]): number => {
  const found = names.map((name) => numberOf(fields[name])).find((value) => value !== null);
  return Math.max(0, Math.trunc(found ?? 0));
};

/** Codex numbers its limits by name; a report without one is about the account's main limit. */
const MAIN_LIMIT = "codex";

/** A window at this share is used up: the percentage is rounded. */
const FULL_PERCENT = 99;

/** The provider's limits as far as known. Reports are partial: what one leaves out or sets to null stays as it was. */
export class RateLimits {
  #known: { readonly [limit: string]: Fields } = {};

  /** Takes a report. What is known now, if that changed anything; else null. */
  update(report: Fields): Fields | null {
    const limits = fieldsOf(report["rateLimits"] ?? report["rate_limits"]);
    const name = textOf(limits["limitId"] ?? limits["limit_id"]) ?? MAIN_LIMIT;
    const before = this.#known[name] ?? {};
    const now = merged(before, limits);
    if (now === before) return null;
    this.#known = { ...this.#known, [name]: now };
    return this.#known;
  }

  /** When the limit that is used up will be reset; null when the reports do not say. Milliseconds since the epoch. */
  resetsAt(nowMs: number): number | null {
    const windows = Object.values(this.#known)
      .flatMap((limit) => Object.values(limit))
      .flatMap((window) => (isFields(window) ? (windowOf(window) ?? []) : []))
      .filter(({ resetsAt }) => resetsAt > nowMs)
      .sort((a, b) => b.used - a.used || b.resetsAt - a.resetsAt);
    // All that are full must open again; when none says so, the fullest is the likeliest.
    const full = windows.filter(({ used }) => used >= FULL_PERCENT);
    if (full.length > 0) return Math.max(...full.map(({ resetsAt }) => resetsAt));
    return windows[0]?.resetsAt ?? null;
  }
}

function windowOf(window: Fields): { readonly used: number; readonly resetsAt: number } | null {
  const seconds = numberOf(window["resetsAt"] ?? window["resets_at"]);
  const used = numberOf(window["usedPercent"] ?? window["used_percent"]);
  return seconds === null || used === null ? null : { used, resetsAt: seconds * 1000 };
}

/** `before` with what `update` knows better; `before` itself when that is nothing. */
function merged(before: Fields, update: Fields): Fields {
  let now = before;
  for (const [name, value] of Object.entries(update)) {
    if (value === null || value === undefined) continue;
    const old = before[name];
    const next = isFields(value) ? merged(isFields(old) ? old : {}, value) : value;
    if (next !== old && !(isFields(next) && old === undefined && Object.keys(next).length === 0)) {
      now = { ...now, [name]: next };
    }
  }
  return now;
}
