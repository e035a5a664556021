/** An answer's body as text, within bounds: whatever a server sends, reading it costs a known amount (C9 of docs/RELIABILITY.md). */
import type { Posted } from "./http.ts";

/** Linear's deepest answer has a dozen levels, what an agent may ask for some more. */
export const BODY_DEPTH_MAX = 256;

/** A page of 250 issues has some thousand values. Five million empty objects fit into what is read, and take 700 MB. */
export const BODY_VALUES_MAX = 500_000;

/** What most answers fit into; grows by doubling. */
const FIRST_BYTES = 64 * 1024;

/** The body is not read, or not looked into. The message continues "Linear's answer to …". */
export class BodyRefused extends Error {}

/** @throws BodyRefused for more bytes, values or levels than allowed; whatever reading the stream throws */
export async function textOf(body: Posted["body"], bytesMax: number): Promise<string> {
  const bytes = await readAll(body, bytesMax);
  const { depth, values } = formOf(bytes);
  if (depth > BODY_DEPTH_MAX) throw new BodyRefused(`is nested deeper than ${BODY_DEPTH_MAX} levels`);
  if (values > BODY_VALUES_MAX) throw new BodyRefused(`has more than ${BODY_VALUES_MAX} values`);
  return new TextDecoder().decode(bytes);
}

// Copied together at once: kept as they come, sixteen million chunks of a byte would take gigabytes.
async function readAll(body: Posted["body"], bytesMax: number): Promise<Uint8Array> {
  let held = new Uint8Array(FIRST_BYTES);
  let used = 0;
  for await (const chunk of body) {
    const needed = used + chunk.length;
    if (needed > bytesMax) throw new BodyRefused(`is larger than ${bytesMax} bytes`);
    if (needed > held.length) {
      const larger = new Uint8Array(Math.min(Math.max(needed, held.length * 2), bytesMax));
      larger.set(held.subarray(0, used));
      held = larger;
    }
    held.set(chunk, used);
    used = needed;
  }
  return held.subarray(0, used);
}

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, open: [0x5b, 0x7b], close: [0x5d, 0x7d] } as const;

/** Levels and values of a JSON text, at least; of anything else it is a guess. Counted before a parser is let at it. */
function formOf(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === code.backslash) at++;
      else if (byte === code.quote) inString = false;
    } else if (byte === code.quote) inString = true;
    else if (byte === code.comma) values++;
    else if (byte === code.open[0] || byte === code.open[1]) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (byte === code.close[0] || byte === code.close[1]) depth--;
  }
  return { depth: deepest, values };
}
