/** Text in terminal columns: East Asian characters and emoji take two, combining marks none. */
import stringWidth from "string-width";

const segments = new Intl.Segmenter();

/** One column per character; measuring the others costs a hundred times as much. */
const narrow = /^[\u0020-\u007e\u00b7\u2026]*$/;

/** Columns this text takes. It must hold no escape sequences: paint after measuring. */
export const widthOf = (text: string): number => (narrow.test(text) ? text.length : stringWidth(text));

/** At most `width` columns, `…` standing for what was cut off. Never cuts a character in two. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
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
