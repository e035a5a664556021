/**
 * The blocks of a Markdown text, as CommonMark 0.31 has them, for those who want to know what of it is code. Quotes and
 * lists are followed, because code may be in them; the rest of the grammar is left to those who show it.
 */
import { CODE_COLUMNS, MarkdownLine } from "./markdown-line.ts";
import { htmlBegins } from "./markdown-html.ts";

/** Offsets; `to` is the first one after it. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines that belong together and are no code: text, HTML, or the words behind a fence, which nobody is shown. */
export interface Leaf {
  readonly kind: "text" | "html" | "info";
  /** One for each line, without what marks quotes and lists. */
  readonly lines: readonly Range[];
}

/** Deeper in each other nobody writes them; each line asks all that are open. */
const CONTAINERS_MAX = 50;

/** A quote, or an item of a list with the columns that its lines are indented by. */
type Container = { readonly width: null } | { readonly width: number; bare: boolean };

type Open =
  | { readonly kind: "text"; readonly lines: Range[] }
  | { readonly kind: "html"; readonly lines: Range[]; readonly ends: RegExp | null }
  | { readonly kind: "fence"; readonly mark: string };

/** All that is no code, in the order of the text. Null when it is nested deeper than it is followed. */
export function leavesOf(text: string): readonly Leaf[] | null {
  const blocks = new Blocks(text);
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end === -1 ? text.length : end;
    blocks.line(new MarkdownLine(text, from, text[to - 1] === "\r" && to > from ? to - 1 : to));
    if (blocks.isTooDeep) return null;
    from = to + 1;
  }
  return blocks.ended();
}

class Blocks {
  readonly #text: string;
  readonly #leaves: Leaf[] = [];
  readonly #containers: Container[] = [];
  #open: Open | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  get isTooDeep(): boolean {
    return this.#containers.length > CONTAINERS_MAX;
  }

  ended(): readonly Leaf[] {
    this.#end();
    return this.#leaves;
  }

  line(line: MarkdownLine): void {
    const all = this.#containers.length;
    const goingOn = this.#goingOn(line);
    if (goingOn === all && this.#isTaken(line)) return;
    let isNew = false;
    const begin = (): void => {
      if (!isNew) this.#containers.length = goingOn;
      isNew = true;
      this.#end();
    };
    for (;;) {
      const isText = this.#open?.kind === "text";
      if (line.isBlank || (line.indent >= CODE_COLUMNS && isText)) break;
      const inParagraph = isText && goingOn === all;
      if (line.indent >= CODE_COLUMNS) return begin();
      const container = containerAt(line, inParagraph);
      if (container === null) {
        if (this.#isLeaf(line, isText, inParagraph, begin)) return;
        break;
      }
      begin();
      this.#containers.push(container);
      if (this.isTooDeep) return;
    }
    if (line.isBlank) return begin();
    // A paragraph goes on without the marks of what it is in.
    if (!isNew && goingOn < all && this.#open?.kind !== "text") begin();
    this.#open ??= { kind: "text", lines: [] };
    if (this.#open.kind === "text") this.#open.lines.push({ from: line.wordAt, to: line.to });
  }

  /** How many of the quotes and items that are open this line belongs to. */
  #goingOn(line: MarkdownLine): number {
    const left = this.#containers.findIndex((container) => !goesOn(container, line));
    return left === -1 ? this.#containers.length : left;
  }

  /** Whether code between fences, or HTML, goes on or ends with this line. */
  #isTaken(line: MarkdownLine): boolean {
    const open = this.#open;
    if (open?.kind === "fence") {
      const { mark } = open;
      const isEnd = line.indent < CODE_COLUMNS && isClosing(line.words, mark);
      if (isEnd) this.#open = null;
      return true;
    }
    if (open?.kind !== "html" || (open.ends === null && line.isBlank)) return false;
    this.#html(open, line);
    return true;
  }

  #html(open: Extract<Open, { kind: "html" }>, line: MarkdownLine): void {
    open.lines.push({ from: line.at, to: line.to });
    if (open.ends?.test(this.#text.slice(line.at, line.to)) === true) this.#end();
  }

  /** Whether the line is one that begins something, or is something by itself, other than a paragraph. */
  #isLeaf(line: MarkdownLine, isText: boolean, inParagraph: boolean, begin: () => void): boolean {
    const { words } = line;
    if (/^#{1,6}(?:[ \t]|$)/.test(words)) {
      begin();
      this.#leaves.push({ kind: "text", lines: [{ from: line.wordAt, to: line.to }] });
      return true;
    }
    const fence = /^(`{3,})[^`]*$|^(~{3,})/.exec(words);
    const mark = fence?.[1] ?? fence?.[2];
    if (mark !== undefined) {
      begin();
      this.#leaves.push({ kind: "info", lines: [{ from: line.wordAt + mark.length, to: line.to }] });
      this.#open = { kind: "fence", mark };
      return true;
    }
    const ends = htmlBegins(words, isText);
    if (ends !== undefined) {
      begin();
      this.#open = { kind: "html", lines: [], ends };
      this.#html(this.#open, line);
      return true;
    }
    const isUnderline = inParagraph && /^(?:=+|-+)[ \t]*$/.test(words);
    if (!isUnderline && !isRule(words)) return false;
    begin();
    return true;
  }

  #end(): void {
    if (this.#open !== null && this.#open.kind !== "fence") this.#leaves.push(this.#open);
    this.#open = null;
  }
}

const isClosing = (words: string, mark: string): boolean =>
  words.startsWith(mark) && new RegExp(`^${mark[0]}+[ \\t]*$`).test(words);

const isRule = (words: string): boolean =>
  /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(words);

/** Takes what marks the line as one of the container's. */
function goesOn(container: Container, line: MarkdownLine): boolean {
  if (container.width === null) return takesQuote(line);
  if (line.isBlank) {
    if (container.bare) return false;
    line.toWord();
    return true;
  }
  if (line.indent < container.width) return false;
  line.take(container.width);
  container.bare = false;
  return true;
}

function takesQuote(line: MarkdownLine): boolean {
  if (line.indent >= CODE_COLUMNS || !line.words.startsWith(">")) return false;
  line.toWord();
  line.take(1);
  if (line.isAtBlank) line.take(1);
  return true;
}

/** The quote or the item that begins here, its mark taken; null when none does. */
function containerAt(line: MarkdownLine, inParagraph: boolean): Container | null {
  if (takesQuote(line)) return { width: null };
  const { words } = line;
  if (isRule(words) || (inParagraph && /^-+[ \t]*$/.test(words))) return null;
  const found = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(words);
  if (found === null) return null;
  const [mark, number = "1"] = found;
  // Otherwise a number at the beginning of a line would make a list of it.
  if (inParagraph && (Number(number) !== 1 || words.slice(mark.length).trim() === "")) return null;
  const { indent } = line;
  line.toWord();
  line.take(mark.length);
  const behind = line.mark();
  const bare = line.isBlank;
  const blanks = line.indent;
  // Code begins four columns behind the one blank that every item has.
  const isCode = bare || blanks > CODE_COLUMNS;
  if (!isCode) line.toWord();
  else if (line.isAtBlank) line.take(1);
  if (bare) line.backTo(behind);
  return { width: indent + mark.length + (isCode ? 1 : blanks), bare };
}
