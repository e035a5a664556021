/** What is known of releases of Codex by their number alone: docs/CODEX.md tells how it was found out. Pure. */

/** The release whose messages the contract tests replay; changes between releases break clients without notice. */
export const TESTED_RELEASE = "0.169";

/** The schemas of both, and of releases between them, have all that is needed. */
const [WHOLE_FROM, WHOLE_TO] = ["0.115.0", "0.169.999"] as const;

/** Its schema lacks this, as do those before it. */
const LACKING = { upTo: "0.98.0", lacks: ["the request turn/steer"] } as const;

/** What releases of this number lack of what is needed; empty = nothing. Null = not known. */
export function lackedBy(version: string): readonly string[] | null {
  if (isBefore(version, WHOLE_FROM)) return isBefore(LACKING.upTo, version) ? null : LACKING.lacks;
  return isBefore(WHOLE_TO, version) ? null : [];
}

/** Of a build that nobody released, the number says nothing. */
export const isReleased = (version: string): boolean => !version.startsWith("0.0.0");

/** By their numbers; what comes after them, as in 0.170.0-alpha.1, does not count. */
function isBefore(a: string, b: string): boolean {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((number, place) => number !== right[place]);
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

const numbersOf = (version: string): readonly number[] =>
  (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
