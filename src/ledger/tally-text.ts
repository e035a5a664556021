/**
 * What a tally says of the last run and of what was told, as JSON. What cannot be read is not known, and costs one prompt:
 * unlike a claim, nothing is held by it.
 */
import { instant, type Told, threadId } from "../domain/domain.ts";
import type { Tally } from "../scheduler/scheduler.ts";
import { failureKind, outcome } from "./claim-text.ts";
import { born, count, objectOf, orNull, type Parser, text, Unfit } from "./parse.ts";

type LastRun = NonNullable<Tally["last"]>;

const told = objectOf<Told>({ thread: born(text, threadId), digest: text, state: text });

const last = objectOf<LastRun>({
  at: born(count, instant),
  state: orNull(text),
  thread: orNull(born(text, threadId)),
  turns: count,
  outcome,
  kind: orNull(failureKind),
  why: orNull(text),
  released: orNull(text),
});

/** The text of a column; null = there is nothing to say. */
export const tallyText = (value: Told | LastRun | null): string | null =>
  value === null ? null : JSON.stringify(value);

export const parseTold = (json: string | null): Told | null => parsed(json, told);
export const parseLast = (json: string | null): LastRun | null => parsed(json, last);

function parsed<T>(json: string | null, parse: Parser<T>): T | null {
  if (json === null) return null;
  try {
    return parse(JSON.parse(json));
  } catch (error) {
    if (error instanceof Unfit || error instanceof SyntaxError) return null;
    throw error;
  }
}
