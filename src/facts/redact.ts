/**
 * Takes credentials out of everything that leaves the process: by value (what the workflows' settings hold, in every
 * form it may be written in) and by look (tokens of anybody). Works on whole texts and whole facts, before every sink.
 */
import { SECRET_CHARS_MIN, secretForms } from "./secret-forms.ts";
import { hidden, hideTokens } from "./token-patterns.ts";

/** A longer text is cut: nobody reads it, and looking through it would hold up the loop. */
export const TEXT_CHARS_MAX = 1024 * 1024;

/** A token by look that is cut before this many characters may not be recognised. */
const TOKEN_CHARS_MAX = 64;

/** Facts are flat; whatever is nested deeper than this came from outside and is left out. */
const DEPTH_MAX = 24;

/** Names of members that are remembered as harmless: ours, and those that servers use most. */
const CLEAN_KEYS_MAX = 1_000;

export class Redactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;
  #longest = 0;
  /** Names that were looked through and hold nothing. */
  readonly #cleanKeys = new Set<string>();

  /** Hides this value from now on. Values of fewer than six characters are no secrets and are ignored. */
  add(secret: string): void {
    const value = secret.trim();
    if (value.length < SECRET_CHARS_MIN || this.#forms.has(value)) return;
    for (const form of secretForms(value)) this.#forms.add(form);
    // Longest first: where two forms begin at the same place, the one that holds the other must win.
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
    this.#longest = longestFirst[0]?.length ?? 0;
    this.#cleanKeys.clear();
    this.#pattern = new RegExp(longestFirst.map(escape).join("|"), "g");
  }

  /** The text without credentials: the same string when it holds none. Linear in its length, which is bounded. */
  text(text: string): string {
    return text.length <= TEXT_CHARS_MAX ? this.#hide(text) : this.#cut(text);
  }

  /**
   * The same value without credentials in any string or key of it: the very same object or list when it holds none, a
   * copy of what had to change otherwise. Maps, sets and errors are always copied; other objects are left alone.
   */
  deep<T>(value: T): T {
    return this.#deep(value, 0) as T;
  }

  #hide(text: string): string {
    if (text.length < SECRET_CHARS_MIN) return text;
    return hideTokens(this.#pattern === null ? text : text.replace(this.#pattern, hidden));
  }

  /** What the cut leaves at the end may be the first half of a secret: as much as the longest one is left out. */
  #cut(text: string): string {
    const kept = this.#hide(text.slice(0, TEXT_CHARS_MAX));
    const whole = kept.slice(0, Math.max(0, kept.length - Math.max(this.#longest, TOKEN_CHARS_MAX)));
    return `${whole} [cut: ${text.length} characters]`;
  }

  #deep(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEPTH_MAX) return "[nested too deeply]";
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Map) return this.#map(value, depth);
    if (value instanceof Set) return new Set(this.#list([...value], depth));
    if (value instanceof Error) return this.#error(value, depth);
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null ? this.#object(value, depth) : value;
  }

  #map(map: ReadonlyMap<unknown, unknown>, depth: number): ReadonlyMap<unknown, unknown> {
    const clean = (value: unknown): unknown => this.#deep(value, depth + 2);
    return new Map([...map].map(([key, value]) => [clean(key), clean(value)]));
  }

  #list(items: readonly unknown[], depth: number): readonly unknown[] {
    let copy: unknown[] | null = null;
    for (const [index, item] of items.entries()) {
      const clean = this.#deep(item, depth + 1);
      if (clean === item) continue;
      copy ??= [...items];
      copy[index] = clean;
    }
    return copy ?? items;
  }

  #object(value: object, depth: number): object {
    const entries = Object.entries(value);
    let changed = false;
    for (const entry of entries) {
      const [key, item] = entry;
      entry[0] = this.#key(key);
      entry[1] = this.#deep(item, depth + 1);
      changed ||= entry[0] !== key || entry[1] !== item;
    }
    return changed ? Object.fromEntries(entries) : value;
  }

  /** The same few names come with every fact, and nearly always hold nothing. */
  #key(key: string): string {
    if (this.#cleanKeys.has(key)) return key;
    const clean = this.text(key);
    if (clean === key && key.length <= TOKEN_CHARS_MAX && this.#cleanKeys.size < CLEAN_KEYS_MAX)
      this.#cleanKeys.add(key);
    return clean;
  }

  /** A copy with the same prototype, so that `instanceof` and `name` still work. */
  #error(error: Error, depth: number): Error {
    const copy: Error = Object.create(Object.getPrototypeOf(error));
    // Not every part of an error is enumerable; a cause may be an error again.
    for (const name of Object.getOwnPropertyNames(error)) {
      const own: unknown = Reflect.get(error, name);
      Object.defineProperty(copy, name, {
        value: this.#deep(own, depth + 1),
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
