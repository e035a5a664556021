/** "Did you mean": the closest of some known words, by edit distance. */

/** A word further away than a third of its length is another word, not a slip. */
const slipsMax = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** Nobody misspells a key this long; comparing it costs time and says nothing. */
const WORD_MAX = 64;

/** The known word closest to `word`, or null when none is close. Case and `-` for `_` count as nothing. */
export function closest(word: string, known: readonly string[]): string | null {
  if (word.length > WORD_MAX) return null;
  let best: string | null = null;
  let least = slipsMax(word) + 1;
  for (const candidate of known) {
    // Each letter that one has more is a slip: most words need no closer look.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const slips = distance(plain(word), plain(candidate));
    if (slips < least) [best, least] = [candidate, slips];
  }
  return best;
}

const plain = (word: string): string => word.toLowerCase().replaceAll("-", "_");

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [at(above, j) + 1, at(row, j - 1) + 1, at(above, j - 1) + (same ? 0 : 1)];
      if (swapped) steps.push(at(before, j - 2) + 1);
      row.push(Math.min(...steps));
    }
    [before, above] = [above, row];
  }
  return at(above, b.length);
}

const at = (row: readonly number[], i: number): number => row[i] ?? Number.POSITIVE_INFINITY;
