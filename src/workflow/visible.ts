/**
 * Text of a ticket as a person sees it. What is hidden from the people who read a ticket must not speak to the agent:
 * they could not know that it is there. What can be seen is left as it is, also where it gives orders.
 */
import { hiddenComments } from "./hidden-comments.ts";

/**
 * Markdown without what nobody sees: characters without a shape, and comments of HTML outside of code. Takes time in
 * proportion to its length, whatever it holds.
 */
export const visible = (markdown: string): string => visibleLine(withoutComments(markdown));

/** What is no Markdown, such as a title, without characters that nobody sees: all else of it is shown as it is. */
export const visibleLine = (text: string): string =>
  text.replaceAll(SHAPELESS, (character, at: number) => (isPart(text, at) ? character : ""));

/** What stands where a comment was: the sentence around it may be about it. */
const LEFT_OUT = "[hidden comment left out]";

function withoutComments(text: string): string {
  const shown: string[] = [];
  let at = 0;
  for (const { from, to } of hiddenComments(text)) {
    shown.push(text.slice(at, from), LEFT_OUT);
    at = to;
  }
  return shown.join("") + text.slice(at);
}

/**
 * Characters without a shape: of zero width, of direction, tags (which spell out ASCII unseen), variation selectors,
 * fillers that are blank; and controls other than line breaks and tabs.
 */
const SHAPELESS = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?![\t\n\r])\p{Cc}/gu;

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
