/** What Codex takes as the input of one turn, and what fits into it beside a prompt. */

/** Codex refuses longer input with `input_too_large`; counted in characters, not UTF-16 units. */
export const INPUT_CHARACTERS_MAX = 1_048_576;

const BETWEEN = "\n\n";

/** In characters; of a text that is far from the bound, no fewer than those. */
export function lengthOf(text: string): number {
  if (text.length * 2 <= INPUT_CHARACTERS_MAX) return text.length;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

/** How many characters a text beside this one may have; below zero where there is room for none. */
export const roomBeside = (text: string): number => INPUT_CHARACTERS_MAX - lengthOf(text) - BETWEEN.length;

/** Where less is left, a part of a note would say nothing. */
const NOTE_MIN = 200;

/** A note of ours after the text, cut where both would not fit: the turn goes on without what is left out. */
export function withNote(text: string, note: string): string {
  const room = roomBeside(text);
  if (lengthOf(note) <= room) return `${text}${BETWEEN}${note}`;
  return room < NOTE_MIN ? text : `${text}${BETWEEN}${note.slice(0, room - CUT.length).toWellFormed()}${CUT}`;
}

const CUT = "… (the rest is left out: the input would be too long)";
