/** What stands in round brackets behind a link's text: its address and its title (CommonMark 0.31, 6.3). */

/** CommonMark follows no more of them in each other. */
const BRACKETS_MAX = 32;

const POINTED = /<(?:\\.|[^<>\\\n])*>/y;
const TITLE = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\)/y;
const BLANKS = /\s*/y;

/** The offset behind it, if it begins at this one; else null. */
export function linkTail(text: string, at: number): number | null {
  const begin = after(BLANKS, text, at + 1) ?? at + 1;
  const address = text[begin] === "<" ? after(POINTED, text, begin) : bareEnd(text, begin);
  if (address === null) return null;
  const gap = after(BLANKS, text, address) ?? address;
  if (text[gap] === ")") return gap + 1;
  const title = gap === address ? null : after(TITLE, text, gap);
  const end = title === null ? null : (after(BLANKS, text, title) ?? title);
  return end !== null && text[end] === ")" ? end + 1 : null;
}

/** Where an address without a mark around it ends: at a blank, or at a bracket that it did not open. */
function bareEnd(text: string, from: number): number | null {
  let open = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (/\s/.test(sign)) return open === 0 ? at : null;
    if (sign === "\\") at += 1;
    else if (sign === "(" && (open += 1) > BRACKETS_MAX) return null;
    else if (sign === ")" && (open -= 1) < 0) return at;
  }
  return null;
}

function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
