/** Text in terminal columns: East Asian characters and emoji take two, combining marks none. */
import { createRequire } from "node:module";
import type * as StringWidth from "string-width";

/**
 * One column per character: ASCII, Latin, Greek, Cyrillic, and the dots and dashes of prose. Measuring the others costs a
 * hundred times as much.
 */
const narrow =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff]*$/;

/** Columns this text takes. It must hold no escape sequences: paint after measuring. */
export const widthOf = (text: string): number => (narrow.test(text) ? text.length : measured(text));

// Loaded with the first text that needs it, because its table of emoji takes as long as the start of Node itself. The way
// of an old module, because only that one does not wait.
let stringWidth: ((text: string) => number) | null = null;
const measured = (text: string): number => {
  stringWidth ??= (createRequire(import.meta.url)("string-width") as typeof StringWidth).default;
  return stringWidth(text);
};

/** At most `width` columns, `…` standing for what was cut off. Never cuts a character in two. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/** At most `width` columns, `…` standing for what was cut out before the last two thirds. Never cuts a character in two. */
export function cutMiddle(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  const start = cutTo(Math.floor(width / 3), text);
  let end = "";
  let left = width - widthOf(start);
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    left -= widthOf(segment);
    if (left < 0) break;
    end = segment + end;
  }
  return start === "" ? cutTo(width, text) : start + end.trimStart();
}

/** The spaces that fill `text` up to `width`. */
export const fillTo = (width: number, text: string): string => " ".repeat(Math.max(0, width - widthOf(text)));

/** Lines of at most `width` columns, broken at spaces; a word that is longer has a line of its own. */
export function wrapTo(width: number, text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
