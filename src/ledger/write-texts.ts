/** Texts of WORKFLOW.md, once each. */
import type { Rows } from "./rows.ts";

export interface TextColumns {
  readonly hash: string;
  readonly path: string;
  readonly text: string;
  readonly first_seen: number;
}

export function textWriter(rows: Rows): (row: TextColumns) => void {
  const texts = rows.table<TextColumns>("workflows", ["hash"]);
  return (row) => {
    if (texts.get(row.hash) === undefined) texts.put(row);
  };
}
