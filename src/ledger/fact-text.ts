/** A fact as the ledger keeps it. History is looked at, not relied on: a row that says nothing must not hide the others. */
import { type Fact, instant } from "../domain/domain.ts";

/** The fact that was written, or a word that it cannot be read. */
export function parseFact(json: string, at: number): Fact {
  try {
    const found: unknown = JSON.parse(json);
    if (isFact(found)) return found;
  } catch {
    // Said below.
  }
  const message = "an entry of the ledger cannot be read: `baton ledger check` says more";
  return { type: "warning", message, at: instant(at) };
}

/** What all facts have. Which there are is another version's business too: who reads says what it knows of them. */
const isFact = (value: unknown): value is Fact =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "at" in value &&
  typeof value.at === "number";
