/**
 * The kinds of values a WORKFLOW.md key can have. Each accepts what SPEC 5.3 accepts (string integers, comma-separated
 * lists), gives the plain value, and says in one sentence what works when something else was written.
 */
import * as z from "zod";
import { BYTES_TEXT, bytesIn, bytesText } from "../domain/domain.ts";

/** Node's timers run at once when asked for more than this (24.8 days). */
export const TIMER_MAX_MS = 2_147_483_647;

/** `40_000_000` is a string in YAML 1.2, and the way people write such numbers. */
const INTEGER_TEXT = /^\s*[+-]?\d+(_\d+)*\s*$/;

/** Description and default of a key, for the JSON Schema and through it for editors. */
export const about = (description: string, usual?: unknown): { description: string; default?: unknown } =>
  usual === undefined ? { description } : { description, default: usual };

/** A whole number, or a string that spells one. */
export function integer({ min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) {
  const range = `${min} to ${max}`;
  const made = integers.get(range) ?? newInteger(min, max);
  integers.set(range, made);
  return made;
}

/** Schemas never change, and one takes a quarter of a millisecond of every start: the same one serves all keys of a range. */
const integers = new Map<string, ReturnType<typeof newInteger>>();

function newInteger(min: number, max: number) {
  const error = `must be a whole number ${rangeText(min, max)}`.trimEnd();
  const whole = z.int({ error }).min(min, { error }).max(max, { error });
  return z
    .union([whole, z.string({ error }).regex(INTEGER_TEXT, { error })], { error })
    .transform((value) => (typeof value === "number" ? value : Number(value.replaceAll("_", ""))))
    .pipe(whole);
}

function rangeText(min: number, max: number): string {
  const to = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
  return min === Number.MIN_SAFE_INTEGER ? to.replace(" and", "").trim() : `of at least ${min}${to}`;
}

/** A time span in milliseconds that a timer can wait for. */
export const milliseconds = (min = 1) => integer({ min, max: TIMER_MAX_MS });

/** An amount of storage: a whole number of bytes, or a number with a unit (`500MB`, `2GiB`). */
export function bytes({ min }: { min: number }) {
  const error = `must be a size of at least ${bytesText(min)}: a whole number of bytes, or text like \`500MB\` or \`2GiB\``;
  const whole = z.int({ error }).min(min, { error });
  return z
    .union([whole, z.string({ error }).regex(BYTES_TEXT, { error })], { error })
    .transform((value) => (typeof value === "number" ? value : bytesIn(value)))
    .pipe(whole);
}

const anyText = z.string({ error: "must be text (put quotes around it if it looks like a number)" });
export const text = () => anyText;

const emptyError = "must be text that is not empty";
const visibleText = z.string({ error: emptyError }).regex(/\S/, { error: emptyError });

/** Text with at least one visible character. */
export const someText = () => visibleText;

const namesError = "must be a list of names or one comma-separated string";
const anyNames = z
  .union([z.array(z.string({ error: namesError }), { error: namesError }), z.string({ error: namesError })], {
    error: namesError,
  })
  .transform(namesIn);

/** Names as a list, or as one comma-separated string. Trimmed, without empty ones and repetitions. */
export const names = () => anyNames;

function namesIn(value: string | readonly string[]): readonly string[] {
  const parts = typeof value === "string" ? value.split(",") : value;
  return [...new Set(parts.map((part) => part.trim()))].filter((name) => name !== "");
}

/** The same, but an empty name is kept, in a list or alone: what nothing can have must not become what everything has. */
export const labels = () => anyLabels;

const anyLabels = z
  .union([z.array(z.string({ error: namesError }), { error: namesError }), z.string({ error: namesError })], {
    error: namesError,
  })
  .transform(labelsIn);

function labelsIn(value: string | readonly string[]): readonly string[] {
  const isBlank = (typeof value === "string" ? [value] : value).some((part) => part.trim() === "");
  return isBlank ? [...namesIn(value), ""] : namesIn(value);
}

export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `\`${value}\``).join(", ")}` });

export const flag = () => z.boolean({ error: "must be true or false" });
