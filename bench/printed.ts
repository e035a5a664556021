/** The table of results. */
import type { Figure } from "./figure.ts";

const titles = ["", "measured", "target", "", "how"] as const;

export function printed(figures: readonly Figure[]): string {
  const rows = [titles, ...figures.map(cells)];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const cells = ({ what, measured, target, met, how }: Figure): readonly string[] => [
  what,
  measured,
  target ?? "",
  met === null ? "" : met ? "met" : "MISSED",
  how,
];
