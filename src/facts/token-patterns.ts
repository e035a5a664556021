/**
 * Credentials that give themselves away by their look, whoever they belong to. The patterns are linear: each begins at
 * a place that cannot lie inside its own match, so no text makes them slow.
 */

/** What stands in the place of a secret. Too short to hold one, and safe inside JSON, URLs and quotes. */
export const hidden = "***";

// `\n` written out, as in JSON inside JSON, is a boundary too: its `n` does not belong to the token.
const boundary = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))`;

const tokens = [
  String.raw`lin_(?:api|oauth)_[A-Za-z0-9_-]{6,}`,
  String.raw`${boundary}sk-[A-Za-z0-9_-]{16,}`,
  String.raw`${boundary}gh[pousr]_[A-Za-z0-9]{16,}`,
  String.raw`github_pat_[A-Za-z0-9_]{16,}`,
  String.raw`${boundary}xox[a-z]-[A-Za-z0-9-]{10,}`,
  // JSON Web Token: `eyJ` is `{"` in base64; the last part is empty when unsigned.
  String.raw`${boundary}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`,
];

const token = new RegExp(tokens.join("|"), "g");

/** `Authorization: <scheme> <credentials>` as a header, in JSON, in a curl command. */
const authorization =
  /(authorization(?:\\*["'])?\s{0,4}[:=]\s{0,4}(?:\\*["'])?)(?:(bearer|basic|token|digest)\s{1,4})?[^\s"'\\,;]{6,}/gi;

/** `Bearer <token>` on its own; a word without a digit is more likely prose. */
const bearer = /\b(bearer\s{1,4})(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{12,}/gi;

/** A cheap look at whether any pattern can match: most texts hold none of these. */
const trace = /lin_|sk-|gh[pousr]_|github_pat_|xox|eyJ|-----BEGIN|bearer|authorization/i;

/** The text without tokens, keys and authorization headers; the same string when it has none. */
export function hideTokens(text: string): string {
  if (!trace.test(text)) return text;
  return hidePrivateKeys(text)
    .replace(authorization, (_all, before: string, scheme: string | undefined) =>
      scheme === undefined ? `${before}${hidden}` : `${before}${scheme} ${hidden}`,
    )
    .replace(bearer, `$1${hidden}`)
    .replace(token, hidden);
}

const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key up to its end; without an end (cut off), all that follows. By hand, because a pattern would backtrack. */
function hidePrivateKeys(text: string): string {
  let out = "";
  let from = 0;
  keyBegin.lastIndex = 0;
  for (let begin = keyBegin.exec(text); begin !== null; begin = keyBegin.exec(text)) {
    keyEnd.lastIndex = keyBegin.lastIndex;
    out += text.slice(from, begin.index) + hidden;
    from = keyEnd.exec(text) === null ? text.length : keyEnd.lastIndex;
    keyBegin.lastIndex = from;
  }
  return from === 0 ? text : out + text.slice(from);
}
