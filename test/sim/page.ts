/** A transcript and its figures as text for a terminal. Pure: lines and numbers in, text out. */
import type { Paint, Style } from "../../src/terminal/colour.ts";
import { number } from "../../src/facts/words.ts";
import type { Counted, Figures } from "./figures.ts";
import { RULES, type Violation } from "./rules.ts";
import { DAY_MS } from "./timeline.ts";
import type { Line, LineKind } from "./transcript.ts";

const WHO_WIDTH = 16;
const RULE = "─".repeat(100);

const STYLES: Readonly<Record<LineKind, Style | null>> = {
  deed: null,
  agent: "dim",
  person: "cyan",
  fault: "yellow",
  gear: "dim",
};

/** `day  3 14:05:12.034  T-12             turn 1 started`. */
export function lineText({ at, kind, who, words }: Line, paint: Paint): string {
  const style = STYLES[kind];
  const said = style === null ? words : paint(style, words);
  return `${paint("dim", stamp(at))}  ${paint("bold", who.padEnd(WHO_WIDTH))} ${said}`;
}

/** `day  3 14:05:12.034`. */
export const stamp = (at: number): string =>
  `day ${String(dayOf(at)).padStart(2)} ${new Date(at % DAY_MS).toISOString().slice(11, 23)}`;

/** The first day is day 1. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) + 1;

/** What was violated, and what led to it. `last`: the last lines about the issue, or about everything. */
export function violationText(
  { rule, words, issue }: Violation,
  last: readonly Line[],
  paint: Paint,
): string {
  const red = (text: string): string => paint("red", text);
  const who = issue === null ? undefined : last.findLast((line) => line.issue === issue)?.who;
  return [
    red(RULE),
    paint("bold", red(`VIOLATED  ${rule}: ${RULES[rule]}.`)),
    red(`          ${words}.`),
    "",
    `The last lines${who === undefined ? "" : ` about ${who}`}:`,
    ...last.map((line) => `  ${lineText(line, paint)}`),
    red(RULE),
  ].join("\n");
}

/** All that was counted, in columns. */
export function figuresText({ counts, killedIn }: Figures): string {
  const cells = (Object.keys(counts) as Counted[]).map((what) => cell(wordsOf(what), counts[what]));
  const lines = inColumns([...cells, cell("kinds of moments it was killed in", killedIn.size)], 3);
  return lines.join("\n");
}

const cell = (what: string, count: number): string => `${number(count).padStart(11)} ${what.padEnd(26)}`;

/** `killedBeforeCommit` as `killed before commit`. */
const wordsOf = (what: Counted): string => what.replaceAll(/[A-Z]|\d+/g, (part) => ` ${part.toLowerCase()}`);

function inColumns(cells: readonly string[], columns: number): readonly string[] {
  const rows = Math.ceil(cells.length / columns);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => cells[column * rows + row] ?? "")
      .join("")
      .trimEnd(),
  );
}
