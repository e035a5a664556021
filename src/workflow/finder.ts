/**
 * Where a word is next, from an offset on; infinity when it is not there any more. Asked for rising offsets, so that no part
 * of the text is searched twice.
 */
export function finder(text: string, word: string): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at >= from) return at;
    const found = text.indexOf(word, from);
    at = found === -1 ? Number.POSITIVE_INFINITY : found;
    return at;
  };
}
