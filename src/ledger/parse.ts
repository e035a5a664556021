/**
 * What was written as JSON is read back by these, never cast. A shape names every field of a type, optional ones too, so
 * that a field that is added to the type and not here does not compile. By hand, because every read command loads this
 * file, and a schema library alone would double the time they take.
 */
import { isFields } from "../domain/domain.ts";

/** Takes a value that was read to what it stands for. @throws Unfit */
export type Parser<T> = (value: unknown) => T;

/** What was read is not what it should be; the message begins with where. */
export class Unfit extends Error {
  constructor(what: string) {
    super(what);
    this.name = "Unfit";
  }
}

type Shape<T> = { readonly [Name in keyof Required<T>]: Parser<T[Name]> };

export const text: Parser<string> = (value) =>
  typeof value === "string" ? value : unfit("is no text", value);
export const count: Parser<number> = (value) =>
  typeof value === "number" ? value : unfit("is no number", value);
/** A number of things. */
export const whole: Parser<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : unfit("is no whole number", value);
export const flag: Parser<boolean> = (value) =>
  typeof value === "boolean" ? value : unfit("is neither true nor false", value);

/** A text or number that stands for something of its own: an id, a time. */
export const born =
  <From, T>(parse: Parser<From>, make: (from: From) => T): Parser<T> =>
  (value) =>
    make(parse(value));

export const orNull =
  <T>(parse: Parser<T>): Parser<T | null> =>
  (value) =>
    value === null ? null : parse(value);

/** For a field that is there or not. */
export const maybe =
  <T>(parse: Parser<T>): Parser<T | undefined> =>
  (value) =>
    value === undefined ? undefined : parse(value);

/** One of these words: keys of an object, so that the compiler finds the one that is missing. */
export const oneOf = <T extends string>(words: Readonly<Record<T, true>>): Parser<T> => {
  const known = (value: unknown): value is T => typeof value === "string" && Object.hasOwn(words, value);
  return (value) => (known(value) ? value : unfit("is none of the words known here", value));
};

/** One of these words, where they stand in a list that their type is made of. */
export const oneIn = <T extends string>(words: readonly T[]): Parser<T> => {
  const known = new Map<unknown, T>(words.map((word) => [word, word]));
  return (value) => known.get(value) ?? unfit("is none of the words known here", value);
};

export const listOf =
  <T>(parse: Parser<T>): Parser<readonly T[]> =>
  (value) =>
    Array.isArray(value)
      ? value.map((item: unknown, n) => at(`[${n}]`, () => parse(item)))
      : unfit("is no list", value);

/** An object with these fields; what else it has is left out. A field whose value comes to undefined is not there. */
export const objectOf = <T extends object>(shape: Shape<T>): Parser<T> => {
  const fields = Object.entries<Parser<unknown>>(shape);
  return (value) => {
    const from = fieldsOf(value);
    const found: Record<string, unknown> = {};
    for (const [name, parse] of fields) {
      const field = at(`.${name}`, () => parse(from[name]));
      if (field !== undefined) found[name] = field;
    }
    // Every field of T was parsed as what T says: the shape is made of T.
    return found as T;
  };
};

/** The value as something whose fields can be asked for. @throws Unfit */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isFields(value) ? value : unfit("is no object", value);

function at<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Unfit ? new Unfit(`${place}${error.message}`) : error;
  }
}

/** Longer values say nothing more. */
const SAID_MAX = 40;

function unfit(what: string, value: unknown): never {
  throw new Unfit(` ${what}: ${(JSON.stringify(value) ?? "nothing").slice(0, SAID_MAX)}`);
}
