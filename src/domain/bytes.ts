/** Amounts of storage: how people write them, and how they are shown to people. */

const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** `500MB`, `2GiB`, `1.5 g`, `40_000_000`. What this matches, `bytesIn` reads. */
export const BYTES_TEXT = /^\s*\d+(_\d+)*(\.\d+)?\s*([kKmMgGtT]?[bB]|[kKmMgGtT]([iI][bB])?)?\s*$/;

/**
 * The number of bytes that `text` spells: MB counts by a thousand, MiB and a bare M by 1,024 (as `du` does). Rounded
 * down; null for anything else, and for more than a number holds exactly.
 */
export function bytesIn(text: string): number | null {
  if (!BYTES_TEXT.test(text)) return null;
  const [, amount = "", unit = ""] =
    /^([\d._]+)([a-z]*)$/.exec(text.replaceAll(/\s/g, "").toLowerCase()) ?? [];
  const bytes = Math.floor(
    Number(amount.replaceAll("_", "")) * (units[unit === "" ? "b" : unit] ?? Number.NaN),
  );
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** `0 bytes`, `999 bytes`, `1.5 KiB`, `20 MiB`, `2.0 GiB`: three digits tell what takes the room. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  let amount = bytes;
  let unit = "";
  for (const next of ["KiB", "MiB", "GiB", "TiB"]) {
    amount /= 1_024;
    unit = next;
    // 999.6 MiB would be written 1000 MiB.
    if (amount < 999.5) break;
  }
  return `${amount < 9.95 ? amount.toFixed(1) : amount.toFixed(0)} ${unit}`;
}
