/** What somebody may have meant who named an issue or a run that is not there. */

/** More would be a list to read, not a hint. */
const NEAR_MAX = 5;

/** In a name of two letters, one slip away is any other name of two letters. */
const SLIP_MIN = 4;

/** Names that share the number, contain the word, or are one slip away; in the order given. */
export function near(word: string, names: readonly string[]): readonly string[] {
  const wanted = word.trim().toLowerCase();
  const number = numberIn(wanted);
  const fits = (name: string): boolean =>
    (number !== null && numberIn(name) === number) ||
    name.includes(wanted) ||
    (wanted.length >= SLIP_MIN && isOneSlip(wanted, name));
  return [...new Set(names)].filter((name) => wanted !== "" && fits(name.toLowerCase())).slice(0, NEAR_MAX);
}

const numberIn = (name: string): string | null => /(\d+)$/.exec(name)?.[1] ?? null;

/** One letter more, less, or other. */
function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
