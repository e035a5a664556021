/**
 * Text of a ticket as a person sees it. What is hidden from the people who read a ticket must not speak to the agent:
 * they could not know that it is there. What can be seen is left as it is, also where it gives orders.
 */

/** The text without what nobody sees. Takes time in proportion to its length, whatever it holds. */
export const visible = (text: string): string => withoutShapeless(withoutComments(text));

/** What stands where a comment was: the sentence around it may be about it. */
const LEFT_OUT = "[hidden comment left out]";

/** Comments of HTML, which no viewer of Markdown shows. One that is never closed hides the rest if it begins a line. */
function withoutComments(text: string): string {
  const shown: string[] = [];
  const closing = closings(text);
  let at = 0;
  for (
    let start = text.indexOf("<!--");
    start !== -1;
    start = text.indexOf("<!--", Math.max(at, start + 4))
  ) {
    const end = closing(start + 2) ?? (beginsLine(text, start) ? text.length : null);
    if (end === null) continue;
    shown.push(text.slice(at, start), LEFT_OUT);
    at = end;
  }
  return shown.join("") + text.slice(at);
}

/** Where a comment that is open at an offset ends. Asked for rising offsets, so no part of the text is searched twice. */
function closings(text: string): (from: number) => number | null {
  const ends = ["-->", "--!>"].map((mark) => ({ mark, at: -1 }));
  return (from) => {
    for (const end of ends)
      if (end.at < from) {
        const found = text.indexOf(end.mark, from);
        end.at = found === -1 ? Number.POSITIVE_INFINITY : found;
      }
    const [first] = ends.toSorted((a, b) => a.at - b.at);
    return first === undefined || first.at === Number.POSITIVE_INFINITY ? null : first.at + first.mark.length;
  };
}

/** Markdown takes up to three spaces for none. */
const beginsLine = (text: string, at: number): boolean =>
  /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at));

/**
 * Characters without a shape: of zero width, of direction, tags (which spell out ASCII unseen), variation selectors,
 * fillers that are blank; and controls other than line breaks and tabs.
 */
const SHAPELESS = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?![\t\n\r])\p{Cc}/gu;

const withoutShapeless = (text: string): string =>
  text.replaceAll(SHAPELESS, (character, at: number) => (isPart(text, at) ? character : ""));

/**
 * A joiner between two signs it joins or keeps apart, in scripts that have them and in emoji of several signs; a choice
 * of presentation behind an emoji. Persian and Indic words and families would be misspelled without.
 */
const PART =
  /(?<=[[\p{L}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}\uFE0F]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])[\u200C\u200D](?=[[\p{L}\p{Extended_Pictographic}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)/vy;

function isPart(text: string, at: number): boolean {
  PART.lastIndex = at;
  return PART.test(text);
}
