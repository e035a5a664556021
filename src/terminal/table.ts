/** Rows under headings, for a terminal of a given width. Knows nothing of what it shows. */
import { cutMiddle, cutTo, fillTo, widthOf } from "./text-width.ts";
import type { Paint, Style } from "./colour.ts";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: "left" | "right";
  readonly style?: (row: Row) => Style | null;
  /** Takes what the others leave, and is left out when that is less than this. Only for the last column. */
  readonly restMin?: number;
  /** So much is worth leaving out columns that are spare. */
  readonly restGood?: number;
  /** Left out, the lowest first, when the last column would have less than its `restGood`. */
  readonly spare?: number;
  /** What is too long is cut in the middle: of an error the end says what happened. */
  readonly keepsEnd?: (row: Row) => boolean;
}

const gap = "  ";

/** The lines of the table, headings first, none wider than `width` unless the fixed columns are. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): readonly string[] {
  const rest = columns.find(({ restMin }) => restMin !== undefined);
  let fixed = columns.filter((column) => column !== rest).map((column) => fit(column, rows));
  const left = (): number => width - fixed.reduce((sum, one) => sum + one.width + gap.length, 0);
  if (rest !== undefined) {
    const spare = fixed
      .filter(({ column }) => column.spare !== undefined)
      .sort((a, b) => (a.column.spare ?? 0) - (b.column.spare ?? 0));
    for (const one of spare)
      if (left() < (rest.restGood ?? 0)) fixed = fixed.filter((other) => other !== one);
  }
  const last = rest === undefined || left() < (rest.restMin ?? 0) ? [] : [{ column: rest, width: left() }];
  const shown = [...fixed, ...last];
  const titles = shown.map((one) => cell(one, one.column.title, { style: null, keepsEnd: false }, paint));
  const lines = rows.map((row) =>
    shown.map((one) =>
      cell(
        one,
        one.column.text(row),
        { style: one.column.style?.(row) ?? null, keepsEnd: one.column.keepsEnd?.(row) ?? false },
        paint,
      ),
    ),
  );
  return [paint("dim", titles.join(gap).trimEnd()), ...lines.map((cells) => cells.join(gap).trimEnd())];
}

interface Fitted<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

const fit = <Row>(column: Column<Row>, rows: readonly Row[]): Fitted<Row> => ({
  column,
  width: rows.reduce((widest, row) => Math.max(widest, widthOf(column.text(row))), widthOf(column.title)),
});

function cell<Row>(
  { column, width }: Fitted<Row>,
  text: string,
  { style, keepsEnd }: { readonly style: Style | null; readonly keepsEnd: boolean },
  paint: Paint,
): string {
  const cut = keepsEnd ? cutMiddle(width, text) : cutTo(width, text);
  const shown = style === null ? cut : paint(style, cut);
  return column.align === "right" ? fillTo(width, cut) + shown : shown + fillTo(width, cut);
}
