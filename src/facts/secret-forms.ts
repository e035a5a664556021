/**
 * The forms in which a secret turns up in text: as it is, escaped for JSON (also twice, JSON inside JSON) or a URL, and
 * inside base64, where it looks different at each of three shifts.
 */

/** A shorter value is no secret, and hiding it would make holes in innocent text. */
export const SECRET_CHARS_MIN = 6;

/** Lines of a secret that spans several are hidden one by one, unless they are so short that they could be anything. */
const LINE_CHARS_MIN = 16;

/** Every form worth looking for, in no particular order. */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= LINE_CHARS_MIN);
  const forms = [secret, ...lines].flatMap((text) => [text, ...escapedForms(text), ...base64Forms(text)]);
  return [...new Set(forms)].filter((form) => form.length >= SECRET_CHARS_MIN);
}

function escapedForms(text: string): readonly string[] {
  const json = escapeJson(text);
  const url = encodeURIComponent(text.toWellFormed());
  // Some encoders leave fewer characters alone than ours; some write the hex digits small.
  const strict = url.replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strict, strict.replaceAll("%20", "+"), url.replaceAll("%20", "+")];
  const small = urls.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  return [json, escapeJson(json), json.replaceAll("/", "\\/"), ...urls, ...small];
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Bits that base64 puts in one character. */
const SEXTET = 6;

/** The characters that depend on the secret alone, for each position of its first byte within a group of three. */
function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const from = Math.ceil((shift * 8) / SEXTET);
    const to = Math.floor(((shift + bytes.length) * 8) / SEXTET);
    const form = encoded.slice(from, to);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
