/**
 * Text of agents, tickets and servers made fit for one line: as it is, it could steer the terminal of whoever reads it.
 */
import { stripVTControlCharacters } from "node:util";

// Bidirectional controls reorder what is read, zero-width characters hide in it, tags and separators break lines.
const unseen = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

// C0, DEL and C1: what escape sequences begin with, and line ends of every kind.
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0020\u007f-\u00a0]+/g;

/** Most texts are such a line already: printable ASCII, words with one space between them. */
const PLAIN_ALREADY = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** Input beyond this is not looked at: the output is a line, and hostile escape sequences take time to find. */
const INPUT_CHARS_MAX = 4 * 1024;

/**
 * One line without escape sequences, control or invisible characters, runs of white space made one space, at most `max`
 * characters with `…` for the rest.
 */
export function plain(text: string, max: number): string {
  if (text.length <= max && text.length <= INPUT_CHARS_MAX && PLAIN_ALREADY.test(text)) return text;
  const seen = stripVTControlCharacters(text.slice(0, INPUT_CHARS_MAX).toWellFormed());
  const line = seen.replaceAll(unseen, "").replaceAll(control, " ").trim();
  if (line.length <= max && text.length <= INPUT_CHARS_MAX) return line;
  return `${line
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}

/** The same, with `…` for the middle of a longer text: an error begins with what was tried and ends with what happened. */
export function plainEnds(text: string, max: number): string {
  if (text.length <= max) return plain(text, max);
  const start = plain(text.slice(0, max), Math.ceil(max / 3)).replace(/…$/, "");
  const end = plain(text.slice(-max), max);
  return `${start.trimEnd()}…${end
    .slice(start.length + 1 - max)
    .toWellFormed()
    .replace(/^\ufffd/, "")
    .trimStart()}`;
}
