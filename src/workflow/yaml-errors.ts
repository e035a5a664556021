/**
 * What the YAML library finds wrong, where a person has to look for it. It tells where it noticed: of a quote that is never
 * closed that is the end of the file; and what follows from a mistake it tells as more of them.
 */
import type { Document } from "yaml";
import { isAlias, isCollection, isScalar, visit } from "yaml";

export interface YamlError {
  /** Offset in the YAML. */
  readonly at: number;
  readonly text: string;
}

const ODD = 'Values with ": ", "#", "{" or "$" at odd places want quotes.';

type Found = Document["errors"][number];

/** One for each line that is wrong, at most `max`. */
export function yamlErrors(yaml: string, document: Document, max: number): readonly YamlError[] {
  const lineOf = (at: number): number => yaml.slice(0, at).split("\n").length;
  const told = new Set<number>();
  const errors: YamlError[] = [];
  for (const found of document.errors) {
    const error = understood(yaml, document, found);
    const lines = [lineOf(found.pos[0]), lineOf(error.at)];
    if (!lines.some((line) => told.has(line))) errors.push(error);
    for (const line of lines) told.add(line);
    if (errors.length === max) break;
  }
  return errors;
}

function understood(yaml: string, document: Document, { code, message, pos }: Found): YamlError {
  const [at] = pos;
  if (code === "MISSING_CHAR" && message.endsWith("quote")) {
    const quote = openAt(document, at, isQuoted);
    if (quote !== null) return { at: quote, text: "the quote that opens here is never closed." };
  }
  if (code === "BAD_INDENT" && message.startsWith("Flow ")) {
    const open = openAt(document, at, isFlow);
    const text = "is not closed, or its next line is not indented.";
    if (open !== null) return { at: open, text: `the \`${yaml[open]}\` that opens here ${text}` };
  }
  if (code === "BLOCK_AS_IMPLICIT_KEY") {
    const deeper = deeperLine(yaml, at);
    if (deeper === null)
      return { at, text: "this value has a `: ` in it, or is the key of another: put quotes around it." };
    return {
      at: deeper,
      text: "this line is indented deeper than the one above, which has a value already. Begin both at the same column.",
    };
  }
  if (code === "TAB_AS_INDENT") return { at, text: "this line is indented with a tab; YAML wants blanks." };
  if (code === "MULTILINE_IMPLICIT_KEY")
    return {
      at,
      text: "this is no key: after its `:` a blank is missing, or it is text that wants to be indented.",
    };
  return { at, text: `${message.replace(/\.$/, "")}. ${ODD}` };
}

/** A line below a value on one line: together they look like one long key. */
function deeperLine(yaml: string, at: number): number | null {
  const [, rest = "", gap = ""] = /^([^\n]*)(\n\s*)/.exec(yaml.slice(at)) ?? [];
  return gap === "" || /:(\s|$)/.test(rest) ? null : at + rest.length + gap.length;
}

const isQuoted = (node: unknown): boolean =>
  isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");

const isFlow = (node: unknown): boolean => isCollection(node) && node.flow === true;

/** Where the last of such nodes begins that begins before `at`. */
function openAt(document: Document, at: number, fits: (node: unknown) => boolean): number | null {
  let last: number | null = null;
  visit(document, {
    Node: (_, node) => {
      const from = node.range?.[0];
      if (from !== undefined && from < at && fits(node)) last = Math.max(last ?? 0, from);
    },
  });
  return last;
}

/** The first alias of something that is not there; null when there is none. */
export function danglingAlias(document: Document): YamlError | null {
  const named = new Set<string>();
  let found: YamlError | null = null;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) named.add(node.anchor);
        return undefined;
      }
      if (named.has(node.source)) return undefined;
      const text = `the alias \`*${node.source}\` names nothing: no \`&${node.source}\` stands before it. Text that begins with \`*\` wants quotes.`;
      found = { at: node.range?.[0] ?? 0, text };
      return visit.BREAK;
    },
  });
  return found;
}
