/**
 * Takes credentials out of everything that leaves the process: by value (what the workflows' settings hold, in every
 * form it may be written in) and by look (tokens of anybody). Works on whole texts and whole facts, before every sink.
 */
import { secretCharsMin, secretForms } from "./secret-forms.ts";
import { hidden, hideTokens } from "./token-patterns.ts";

/** A longer text is cut: nobody reads it, and looking through it would hold up the loop. */
export const textCharsMax = 1024 * 1024;

/** A token by look that is cut before this many characters may not be recognised. */
const tokenCharsMax = 64;

/** Facts are flat; whatever is nested deeper than this came from outside and is left out. */
const depthMax = 24;

export class Redactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;
  #longest = 0;

  /** Hides this value from now on. Values of fewer than six characters are no secrets and are ignored. */
  add(secret: string): void {
    const value = secret.trim();
    if (value.length < secretCharsMin || this.#forms.has(value)) return;
    for (const form of secretForms(value)) this.#forms.add(form);
    // Longest first: where two forms begin at the same place, the one that holds the other must win.
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
    this.#longest = longestFirst[0]?.length ?? 0;
    this.#pattern = new RegExp(longestFirst.map(escape).join("|"), "g");
  }

  /** The text without credentials: the same string when it holds none. Linear in its length, which is bounded. */
  text(text: string): string {
    return text.length <= textCharsMax ? this.#hide(text) : this.#cut(text);
  }

  /**
   * The same value without credentials in any string or key of it: the very same object or list when it holds none, a
   * copy of what had to change otherwise. Maps, sets and errors are always copied; other objects are left alone.
   */
  deep<T>(value: T): T {
    return this.#deep(value, 0) as T;
  }

  #hide(text: string): string {
    if (text.length < secretCharsMin) return text;
    return hideTokens(this.#pattern === null ? text : text.replace(this.#pattern, hidden));
  }

  /** What the cut leaves at the end may be the first half of a secret: as much as the longest one is left out. */
  #cut(text: string): string {
    const kept = this.#hide(text.slice(0, textCharsMax));
    const whole = kept.slice(0, Math.max(0, kept.length - Math.max(this.#longest, tokenCharsMax)));
    return `${whole} [cut: ${text.length} characters]`;
  }

  #deep(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= depthMax) return "[nested too deeply]";
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Map) return new Map(this.#list([...value], depth + 1) as [unknown, unknown][]);
    if (value instanceof Set) return new Set(this.#list([...value], depth));
    if (value instanceof Error) return this.#error(value, depth);
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null ? this.#object(value, depth) : value;
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
    let changed = false;
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      const cleanKey = this.text(key);
      const clean = this.#deep(item, depth + 1);
      if (clean !== item || cleanKey !== key) changed = true;
      return [cleanKey, clean];
    });
    return changed ? Object.fromEntries(entries) : value;
  }

  /** A copy with the same prototype, so that `instanceof` and `name` still work. */
  #error(error: Error, depth: number): Error {
    const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
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
