/** Collects what is wrong and what is odd while a WORKFLOW.md is read, so that one look tells a person everything. */
import { line, type Place, type Problem, type WorkflowErrorKind } from "./workflow-error.ts";

/** A key's path from the root of the front matter. */
export type KeyPath = readonly string[];

/** Where a key or its value stands in the file; the nearest ancestor's place when it is not written there. */
export type Locate = (key: KeyPath, part: "key" | "value") => Place;

/** A file with more oddities than this has one cause; the rest is noise in the log. */
const WARNINGS_MAX = 50;

export class Findings {
  readonly #locate: Locate;
  readonly #problems: Problem[] = [];
  readonly #blamed: KeyPath[] = [];
  readonly #warnings: Omit<Problem, "kind">[] = [];
  #unsaid = 0;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  get problems(): readonly Problem[] {
    return this.#problems.toSorted(byPlace);
  }

  /** Notes a value that cannot be used. `text` says why and what works instead. */
  problem(key: KeyPath, text: string, kind: WorkflowErrorKind = "workflow_invalid"): void {
    this.#blamed.push(key);
    this.#problems.push({ kind, place: this.#locate(key, "value"), key: key.join("."), text });
  }

  /** Notes something that works but is probably not meant. A text that costs time is made when it is needed. */
  warn(key: KeyPath, text: string | (() => string), part: "key" | "value" = "value"): void {
    if (this.#warnings.length >= WARNINGS_MAX) {
      this.#unsaid++;
      return;
    }
    const said = typeof text === "string" ? text : text();
    this.#warnings.push({ place: this.#locate(key, part), key: key.join("."), text: said });
  }

  /** Whether this key, or a section around it, already has a problem: its absence then needs no second message. */
  blames(key: KeyPath): boolean {
    return this.#blamed.some((blamed) => blamed.every((part, i) => key[i] === part));
  }

  /** The warnings as lines, `file:line:column: key: text`. */
  warnings(path: string): readonly string[] {
    const said = this.#warnings.toSorted(byPlace).map((warning) => line(path, warning));
    return this.#unsaid > 0 ? [...said, `${path}: and ${this.#unsaid} more warnings`] : said;
  }
}

/** In the order of the file, as somebody goes through it to put it right. */
const byPlace = (a: { readonly place: Place | null }, b: { readonly place: Place | null }): number =>
  (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0);

/** Longest piece of a value that an error shows. */
const SHOWN_MAX = 120;

/** Letters with digits among them, this long and unbroken, are no word: a key that stands in the wrong place, perhaps. */
const KEY_LIKE = /(?=[A-Za-z_+=-]*\d)[A-Za-z0-9_+=-]{16,}/g;

/** A value as an error shows it, shortened; of what looks like a credential the beginning. Never call it with a secret. */
export function shown(value: unknown): string {
  const text =
    (typeof value === "object" && value !== null ? jsonOf(value) : JSON.stringify(value)) ?? typeof value;
  // More than is shown, so that no credential is cut before it is known for one; but never all of a long text.
  const said = text.slice(0, 2 * SHOWN_MAX).replaceAll(KEY_LIKE, (key) => `${key.slice(0, 4)}…`);
  return said.length > SHOWN_MAX || text.length > 2 * SHOWN_MAX ? `${said.slice(0, SHOWN_MAX)}…` : said;
}

/** Values from YAML may be what JSON cannot hold (deep, or made by a tag); then the kind of thing must do. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? "a list" : "a map";
  }
}
