/** Token counts and rate limits as Codex reports them. Neither report is a ledger: both repeat, and both lose things. */
import { DAY_MS, highWater, noTokens, type ThreadId, type Tokens } from "../../domain/domain.ts";
import { cut } from "./failures.ts";
import { type Fields, fieldsOf, isFields, numberOf, textOf } from "./message.ts";

/** A session's threads: its own, and those of the model's own agents. More of them is a server that makes names up. */
const THREADS_MAX = 1000;

/**
 * A thread's tokens: what was reported may repeat or, after a revert, shrink; what was used may not (I6 of
 * docs/ARCHITECTURE.md).
 */
export class Meter {
  readonly #marks = new Map<ThreadId, Tokens>();

  /** The thread's new high-water mark; null when the report says nothing new. */
  update(thread: ThreadId, reported: Tokens): Tokens | null {
    const before = this.#marks.get(thread) ?? noTokens;
    const mark = highWater(before, reported);
    const isKnown = this.#marks.has(thread);
    if (isKnown ? sameTokens(mark, before) : this.#marks.size >= THREADS_MAX) return null;
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
    if (isFields(total)) return believable(tokensOf(total));
  }
  return null;
}

/**
 * No thread comes near this. A count beyond it is a fault of who counted, and would use up every limit at once; sums of
 * many such are still whole numbers.
 */
const TOKENS_MAX = 1e12;

const believable = (tokens: Tokens): Tokens | null =>
  Object.values(tokens).every((count) => count <= TOKENS_MAX) ? tokens : null;

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

/** Windows are hours to a month long. One that opens later than this is a mistake, and would hold everything till then. */
const RESET_MAX_MS = 60 * DAY_MS;

/** Names of limits, and members of each; texts in them. Codex has a handful of limits with some ten members. */
const MEMBERS_MAX = 32;
const LEVELS_MAX = 4;
const TEXT_CHARS_MAX = 200;

/** The provider's limits as far as known. Reports are partial: what one leaves out or sets to null stays as it was. */
export class RateLimits {
  #known: { readonly [limit: string]: Fields } = {};

  /** Takes a report. What is known now, if that changed anything; else null. */
  update(report: Fields): Fields | null {
    const limits = small(fieldsOf(report["rateLimits"] ?? report["rate_limits"]), LEVELS_MAX);
    const name = textOf(limits["limitId"] ?? limits["limit_id"]) ?? MAIN_LIMIT;
    if (!Object.hasOwn(this.#known, name) && Object.keys(this.#known).length >= MEMBERS_MAX) return null;
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
      .filter(({ resetsAt }) => resetsAt > nowMs && resetsAt <= nowMs + RESET_MAX_MS)
      .sort((a, b) => b.used - a.used || b.resetsAt - a.resetsAt);
    // All that are full must open again; when none says so, the fullest is the likeliest.
    const full = windows.filter(({ used }) => used >= FULL_PERCENT);
    if (full.length > 0) return Math.max(...full.map(({ resetsAt }) => resetsAt));
    return windows[0]?.resetsAt ?? null;
  }
}

/** As much of it as is kept: objects of texts, numbers and yes or no, not too many of them. */
function small(fields: Fields, levels: number): Fields {
  const members = Object.entries(fields).slice(0, MEMBERS_MAX);
  return Object.fromEntries(
    members.flatMap(([name, value]) => {
      if (isFields(value)) return levels > 1 ? [[cut(name, TEXT_CHARS_MAX), small(value, levels - 1)]] : [];
      if (Array.isArray(value)) return [];
      return [[cut(name, TEXT_CHARS_MAX), typeof value === "string" ? cut(value, TEXT_CHARS_MAX) : value]];
    }),
  );
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
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old === undefined && Object.keys(now).length >= MEMBERS_MAX) continue;
    const next = isFields(value) ? merged(isFields(old) ? old : {}, value) : value;
    if (next !== old && !(isFields(next) && old === undefined && Object.keys(next).length === 0)) {
      now = { ...now, [name]: next };
    }
  }
  return now;
}
