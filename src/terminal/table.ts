/** Rows under headings, for a terminal of a given width. Knows nothing of what it shows. */
import { cutTo, fillTo, widthOf } from "./text-width.ts";
import type { Paint, Style } from "./colour.ts";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: "left" | "right";
  readonly style?: (row: Row) => Style | null;
  /** Takes what the others leave, and is left out when that is less than this. Only for the last column. */
  readonly restMin?: number;
}

const gap = "  ";

/** The lines of the table, headings first, none wider than `width` unless the fixed columns are. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): readonly string[] {
  const fixed = columns.filter(({ restMin }) => restMin === undefined).map((column) => fit(column, rows));
  const taken = fixed.reduce((sum, one) => sum + one.width + gap.length, 0);
  const rest = columns
    .filter(({ restMin }) => restMin !== undefined && width - taken >= restMin)
    .map((column) => ({ column, width: width - taken }));
  const shown = [...fixed, ...rest];
  const titles = shown.map((one) => cell(one, one.column.title, null, paint));
  const lines = rows.map((row) =>
    shown.map((one) => cell(one, one.column.text(row), one.column.style?.(row) ?? null, paint)),
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

function cell<Row>({ column, width }: Fitted<Row>, text: string, style: Style | null, paint: Paint): string {
  const cut = cutTo(width, text);
  const shown = style === null ? cut : paint(style, cut);
  return column.align === "right" ? fillTo(width, cut) + shown : shown + fillTo(width, cut);
}
