/**
 * Comments of HTML in a paragraph of Markdown. What stands between backticks is shown, whatever it is. Where it is not sure
 * what does (a link's address may have a backtick, a row of a table ends them), a comment is taken for one.
 */
import { finder } from "./finder.ts";
import { linkTail } from "./link-tail.ts";
import type { Range } from "./markdown-blocks.ts";
import { TAG } from "./markdown-html.ts";

/** Offsets; `to` is null for one that is never closed. */
export interface Comment {
  readonly from: number;
  readonly to: number | null;
}

/** The comments of what is HTML, in its order. */
export function commentsOfHtml(text: string): readonly Comment[] {
  const found: Comment[] = [];
  const closed = finder(text, "-->");
  const closedOddly = finder(text, "--!>");
  for (let at = text.indexOf("<!--"); at !== -1; ) {
    // `<!-->` is one already.
    const end = Math.min(closed(at + 2) + 3, closedOddly(at + 4) + 4);
    found.push({ from: at, to: end === Number.POSITIVE_INFINITY ? null : end });
    if (end === Number.POSITIVE_INFINITY) break;
    at = text.indexOf("<!--", end);
  }
  return found;
}

const closedOnes = (comments: readonly Comment[]): readonly Range[] =>
  comments.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]));

/** Where the comments of a paragraph are, in no order. */
export function commentsOfText(text: string): readonly Range[] {
  if (!text.includes("<!--")) return [];
  const seen = found(text);
  return isTable(text)
    ? [...seen, ...cellsOf(text).flatMap((cell) => shifted(found(text.slice(cell.from, cell.to)), cell.from))]
    : seen;
}

const found = (text: string): readonly Range[] =>
  new Paragraph(text).comments() ?? closedOnes(commentsOfHtml(text));

const shifted = (ranges: readonly Range[], by: number): readonly Range[] =>
  ranges.map(({ from, to }) => ({ from: from + by, to: to + by }));

/** The line below the heads of a table. */
const isTable = (text: string): boolean =>
  text.split("\n").some((line) => line.includes("|") && /^[ \t|:-]+$/.test(line));

/** What is between two bars, and of a line what is before the first and behind the last. */
function cellsOf(text: string): readonly Range[] {
  const ends = [...text.matchAll(/\\[\s\S]|[|\n]/g)].flatMap(({ 0: sign, index }) =>
    sign.length === 1 ? [index] : [],
  );
  return [...ends, text.length].map((to, n) => ({ from: n === 0 ? 0 : (ends[n - 1] ?? 0) + 1, to }));
}

/** Ends of what HTML leaves out besides comments: instructions, declarations, and data. */
const OTHERS = [
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
  ["<!", ">"],
] as const;

/** A definition of a link, which is not shown: it may have a backtick. */
const DEFINITION = /^\[(?:\\.|[^[\]\\])*\]:/;

const LABEL = /\[(?:\\.|[^[\]\\])*\]/y;
const ADDRESS = /[^\s<]*/y;
const ESCAPED = /\\[!-/:-@[-`{-~]/y;

class Paragraph {
  readonly #text: string;
  readonly #comments: Range[] = [];
  readonly #closed: (from: number) => number;
  readonly #ends: ReadonlyMap<string, (from: number) => number>;
  readonly #runs: Runs;
  #addressTo = 0;

  constructor(text: string) {
    this.#text = text;
    this.#closed = finder(text, "-->");
    this.#ends = new Map(OTHERS.map(([, end]) => [end, finder(text, end)]));
    this.#runs = new Runs(text);
  }

  /** Null when it is not sure what is code. */
  comments(): readonly Range[] | null {
    if (DEFINITION.test(this.#text)) return null;
    const special = /[\\`<\]]|:\/\/|www\./g;
    for (let found = special.exec(this.#text); found !== null; found = special.exec(this.#text)) {
      const next = this.#after(found[0], found.index);
      if (next === null) return null;
      special.lastIndex = next;
    }
    return this.#comments;
  }

  /** Where it goes on behind this sign; null when it is not sure. */
  #after(sign: string, at: number): number | null {
    switch (sign) {
      case "\\":
        return at + (matchAt(ESCAPED, this.#text, at) === null ? 1 : 2);
      case "`":
        return this.#runs.spanAt(at);
      case "<":
        return this.#html(at);
      case "]":
        return this.#isSure(linkEnd(this.#text, at + 1), at) ? at + 1 : null;
      default:
        if (at < this.#addressTo) return at + 1;
        this.#addressTo = matchAt(ADDRESS, this.#text, at) ?? at;
        return this.#text.slice(at, this.#addressTo).includes("`") ? null : at + 1;
    }
  }

  /** Behind a bracket an address or a name may follow. One that holds what could begin something else is read in two ways. */
  #isSure(end: number | null, at: number): boolean {
    return end === null || !/[`<]/.test(this.#text.slice(at, end));
  }

  #html(at: number): number {
    const end = this.#text.startsWith("<!--", at) ? this.#commentEnd(at) : this.#tagEnd(at);
    if (end === null) return at + 1;
    this.#comments.push(...shifted(closedOnes(commentsOfHtml(this.#text.slice(at, end))), at));
    return end;
  }

  #commentEnd(at: number): number | null {
    const end = this.#closed(at + 2) + 3;
    return end <= this.#text.length ? end : null;
  }

  #tagEnd(at: number): number | null {
    const other = OTHERS.find(([begin]) => this.#text.startsWith(begin, at));
    if (other === undefined) return matchAt(TAG, this.#text, at);
    const end =
      (this.#ends.get(other[1])?.(at + other[0].length) ?? Number.POSITIVE_INFINITY) + other[1].length;
    return end <= this.#text.length ? end : null;
  }
}

/** Runs of backticks: the next one of the same length ends what one begins. */
class Runs {
  /** Where those of each length begin, the last one first. */
  readonly #of = new Map<number, number[]>();

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const same = this.#of.get(run.length);
      if (same === undefined) this.#of.set(run.length, [index]);
      else same.push(index);
    }
    for (const same of this.#of.values()) same.reverse();
  }

  /** Where the code ends that begins here; the end of the run itself where there is none. Asked for rising offsets. */
  spanAt(at: number): number {
    const end = matchAt(/`+/y, this.#text, at) ?? at + 1;
    const same = this.#of.get(end - at) ?? [];
    while ((same.at(-1) ?? Number.POSITIVE_INFINITY) < end) same.pop();
    const closing = same.at(-1);
    return closing === undefined ? end : closing + end - at;
  }
}

/** Where what may follow a bracket ends: an address in brackets, or the name of one. */
const linkEnd = (text: string, at: number): number | null =>
  text[at] === "(" ? linkTail(text, at) : matchAt(LABEL, text, at);

function matchAt(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
