/**
 * Comments of HTML in a text of Markdown, which nobody who reads it is shown. What is in code is shown; so is one that is
 * opened within a line and never closed in its paragraph.
 */
import { type Leaf, leavesOf, type Range } from "./markdown-blocks.ts";
import { commentsOfHtml, commentsOfText } from "./markdown-comments.ts";

/** In the order of the text, none within another. */
export function hiddenComments(text: string): readonly Range[] {
  if (!text.includes("<!--")) return [];
  // Where nobody can tell what is code, nothing is.
  const leaves = leavesOf(text) ?? [{ kind: "info", lines: [{ from: 0, to: text.length }] }];
  return apart(leaves.flatMap((leaf) => inLeaf(text, leaf)));
}

/** In the offsets of the whole text. */
function inLeaf(text: string, { kind, lines }: Leaf): readonly Range[] {
  const own = lines.map(({ from, to }) => text.slice(from, to)).join("\n");
  const at = places(lines);
  if (kind === "text")
    return commentsOfText(own).map(({ from, to }) => ({ from: at(from), to: at(to - 1) + 1 }));
  return commentsOfHtml(own).flatMap(({ from, to }) => {
    if (to !== null) return [{ from: at(from), to: at(to - 1) + 1 }];
    // HTML ends with its block, a comment in it does not: whoever shows it shows nothing of what follows.
    return kind === "html" ? [{ from: at(from), to: text.length }] : [];
  });
}

/** Of an offset in the lines put together, the one in the text. */
function places(lines: readonly Range[]): (at: number) => number {
  const starts: number[] = [];
  let length = 0;
  for (const { from, to } of lines) {
    starts.push(length);
    length += to - from + 1;
  }
  return (at) => {
    const n = lastUpTo(starts, at);
    return (lines[n]?.from ?? 0) + at - (starts[n] ?? 0);
  };
}

/** The index of the last number that is not above a bound; they rise. */
function lastUpTo(numbers: readonly number[], bound: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= bound) low = middle;
    else high = middle - 1;
  }
  return low;
}

function apart(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from >= last.to) joined.push(range);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return joined;
}
