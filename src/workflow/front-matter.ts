/** Cuts a WORKFLOW.md into YAML front matter and prompt body (SPEC 5.2). Knows nothing of either's meaning. */

export interface Parts {
  /** The YAML between the two `---` lines; null when the file has no front matter. */
  readonly yaml: string | null;
  /** Offset of that YAML in the text. */
  readonly yamlAt: number;
  /** The prompt body, trimmed. */
  readonly template: string;
  /** Offset of the trimmed body's first character in the text. */
  readonly templateAt: number;
}

/** Behind the dashes a comment may stand, as in any YAML. */
const OPENING = /^\uFEFF?---(?:[ \t]+#.*|[ \t]*)\r?(?:\n|$)/;
const CLOSING = /^---(?:[ \t]+#.*|[ \t]*)\r?$/gm;

/** Lines that somebody took for one of those. */
const DASHES = /^\uFEFF?--.*$/gm;

/** The first line from an offset on that begins with dashes and is no mark; null when there is none. */
export function dashesIn(
  text: string,
  from: number,
): { readonly line: number; readonly text: string } | null {
  DASHES.lastIndex = from;
  const found = DASHES.exec(text);
  return found === null ? null : { line: placeAt(text, found.index).line, text: found[0].trim() };
}

/** Null when front matter is opened and never closed. */
export function cut(text: string): Parts | null {
  const opening = OPENING.exec(text);
  if (opening === null)
    return { yaml: null, yamlAt: 0, ...bodyFrom(text, text.startsWith("\uFEFF") ? 1 : 0) };
  const yamlAt = opening[0].length;
  CLOSING.lastIndex = yamlAt;
  const closing = CLOSING.exec(text);
  if (closing === null) return null;
  return { yaml: text.slice(yamlAt, closing.index), yamlAt, ...bodyFrom(text, CLOSING.lastIndex) };
}

function bodyFrom(text: string, start: number): Pick<Parts, "template" | "templateAt"> {
  const body = text.slice(start);
  return { template: body.trim(), templateAt: start + (body.length - body.trimStart().length) };
}

/** Line and column of an offset, both from 1. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: before.length - lineStart + 1 };
}
