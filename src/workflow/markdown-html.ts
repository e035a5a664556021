/** HTML as CommonMark finds it in a text (0.31, 4.6 and 6.6). Each pattern takes a time in proportion to what it is tried on. */

const ATTRIBUTE = String.raw`\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>${"`"}]+|'[^']*'|"[^"]*"))?`;
const OPENING_TAG = String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*\s*/?>`;
const CLOSING_TAG = String.raw`</[A-Za-z][A-Za-z0-9-]*\s*>`;

/** A tag, or an address between angle brackets. */
export const TAG = new RegExp(
  String.raw`${OPENING_TAG}|${CLOSING_TAG}|<[A-Za-z][A-Za-z0-9.+-]{1,31}:[^\s<>]*>|<[\w.!#$%&'*+/=?^${"`"}{|}~-]+@[\w.-]+>`,
  "y",
);

const BLOCK_NAMES =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";

/** Where lines of HTML begin, and what ends them: what the last one holds, or (null) an empty one. */
const BLOCKS: readonly (readonly [begins: RegExp, ends: RegExp | null])[] = [
  [/^<(?:script|pre|textarea|style)(?:\s|>|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<[?]/, /\?>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCK_NAMES})(?:\\s|/?>|$)`, "i"), null],
];

/** Any tag alone on its line; it interrupts no paragraph. */
const ALONE = new RegExp(`^(?:${OPENING_TAG}|${CLOSING_TAG})\\s*$`);

/** What ends the lines of HTML that begin with this one; null: an empty line. Undefined when none begin. */
export function htmlBegins(words: string, inParagraph: boolean): RegExp | null | undefined {
  if (!words.startsWith("<")) return undefined;
  const block = BLOCKS.find(([begins]) => begins.test(words));
  if (block !== undefined) return block[1];
  return !inParagraph && ALONE.test(words) ? null : undefined;
}
