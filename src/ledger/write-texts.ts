/** Texts of WORKFLOW.md, and what turns were told, once each. */
import { createHash } from "node:crypto";
import type { Instant } from "../domain/domain.ts";
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

interface ToldColumns {
  readonly hash: string;
  readonly text: string;
  /** Last: a text goes when it has not been told for long enough. */
  readonly told_at: number;
}

/** Keeps a text, and returns its hash. */
export function toldWriter(rows: Rows): (text: string, at: Instant) => string {
  const texts = rows.table<ToldColumns>("texts", ["hash"]);
  return (text, at) => {
    const hash = createHash("sha256").update(text).digest("hex");
    texts.put({ hash, text, told_at: at });
    return hash;
  };
}
