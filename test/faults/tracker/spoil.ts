/** Ways to spoil a reply: one field at a time for the matrix, anything anywhere for the random rounds. */
import type { Json } from "./replies.ts";

export type Path = readonly (string | number)[];

/** Removes instead of replacing. */
export const REMOVED = Symbol("removed");

/** What JSON can write and JSON.stringify cannot: a number that no double can hold, and very deep nesting. */
const written: ReadonlyMap<string, string> = new Map([
  ["<1e999>", "1e999"],
  ["<250 levels>", "[".repeat(250) + "]".repeat(250)],
  ["<2,000 levels>", "[".repeat(2_000) + "]".repeat(2_000)],
]);

const long = (text: string, times: number): string => text.repeat(times);

/** Texts that look like names, ids or numbers to somebody who does not look closely. */
const oddTexts: readonly string[] = [
  "\ud800",
  "ok\udfff",
  "\u202egnp.exe",
  "a\u0000b",
  "\u0000",
  "\u200b",
  "\u00a0\u2003",
  "\ufeffid",
  "e\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦",
  "İI",
  "../../etc",
  "__proto__",
  "constructor",
  "a\r\nb: c",
  "\u001b[2J",
  "NaN",
  "Infinity",
  "-0",
  "0x10",
  "true",
  "null",
  "[object Object]",
];

const notDates: readonly Json[] = [
  "yesterday",
  "2026-02-30T00:00:00Z",
  "2026-13-01",
  "0000-00-00",
  "2026-01-01T99:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "1",
  1_767_225_600,
];

const numbers: readonly Json[] = [0, -1, 2.5, 1e308, Number.MAX_SAFE_INTEGER + 1, -0, "<1e999>"];

/** Every way, each with a name for the report. `null` is a value; `REMOVED` is none. */
export const ways: ReadonlyMap<string, Json | typeof REMOVED> = new Map<string, Json | typeof REMOVED>([
  ["missing", REMOVED],
  ["null", null],
  ["true", true],
  ["false", false],
  ["an empty text", ""],
  ["an empty list", []],
  ["an empty object", {}],
  ["a list in a list", [[]]],
  ["an object with nothing known", { x: 1, ["__proto__"]: { id: "a" } }],
  ["a text", "x"],
  ["blanks", " \t\n "],
  ...oddTexts.map((text): [string, Json] => [`odd text ${JSON.stringify(text)}`, text]),
  ...notDates.map((value): [string, Json] => [`no date ${JSON.stringify(value)}`, value]),
  ...numbers.map((value): [string, Json] => [`number ${JSON.stringify(value)}`, value]),
  ["129 characters", long("a", 129)],
  ["256 characters", long("b", 256)],
  ["1,001 characters", long("c", 1_001)],
  ["20,000 characters and a control", `${long("d", 20_000)}\u0000`],
  ["20,000 blanks and a control", `${long(" ", 20_000)}\u0000`],
  ["20,000 pairs", long("😀", 20_000)],
  ["20,000 controls", long("\u0001", 20_000)],
  ["1,001 entries", Array.from({ length: 1_001 }, () => null)],
  ["10,001 entries", Array.from({ length: 10_001 }, () => 0)],
  ["250 levels", "<250 levels>"],
  ["2,000 levels", "<2,000 levels>"],
  ["a page that leads on without saying where", { nodes: [], pageInfo: { hasNextPage: true } }],
  ["a page that leads on to nothing", { nodes: [], pageInfo: { hasNextPage: true, endCursor: "" } }],
  ["a page that leads back", { nodes: [], pageInfo: { hasNextPage: true, endCursor: "c1" } }],
  ["a page info that leads back", { hasNextPage: true, endCursor: "c1" }],
  ["a page info that leads back here", { hasNextPage: true, endCursor: "l1" }],
  ["a page info that goes on", { hasNextPage: true, endCursor: "unheard of" }],
  ["a cursor that was given", "c1"],
  ["another cursor that was given", "l1"],
  ["a third cursor that was given", "r1"],
]);

/** Every place in this value, the whole of it included. */
export function pathsIn(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...path, key]))];
}

/** The value with this in place of what is there; null when it has no such place. */
export function replaced(value: Json, [key, ...rest]: Path, by: Json | typeof REMOVED): Json | null {
  if (key === undefined) return by === REMOVED ? null : by;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (rest.length === 0 && by === REMOVED) return items.toSpliced(Number(key), 1);
    return items.map((item, at) => (at === Number(key) ? replaced(item, rest, by) : item));
  }
  const entries = Object.entries(value as { readonly [key: string]: Json });
  if (rest.length === 0 && by === REMOVED)
    return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    entries.map(([name, part]) => [name, name === key ? replaced(part, rest, by) : part]),
  );
}

export function at(value: Json, path: Path): Json {
  return path.reduce<Json>((part, key) => {
    if (typeof part !== "object" || part === null) return null;
    return (part as { readonly [key: string | number]: Json })[key] ?? null;
  }, value);
}

export function textOf(value: Json): string {
  let text = JSON.stringify(value);
  for (const [mark, meant] of written) text = text.replaceAll(JSON.stringify(mark), meant);
  return text;
}

/** Numbers in [0, 1). */
type Random = () => number;

const between = (random: Random, from: number, below: number): number =>
  from + Math.floor(random() * (below - from));

export const pick = <T>(random: Random, from: readonly T[]): T => {
  const one = from[between(random, 0, from.length)];
  if (one === undefined) throw new Error("nothing to pick from");
  return one;
};

const wayValues = [...ways.values()];

/** The large ones are slow to write and to read; they have their place in the matrix. */
const cheapWays = wayValues.filter((value) => value === REMOVED || JSON.stringify(value).length < 2_000);

/** One to four changes to the value, then perhaps some to its text. */
export function spoiled(value: Json, random: Random): string {
  let now = value;
  for (let changes = between(random, 1, 5); changes > 0; changes--) now = changed(now, random);
  const text = textOf(now);
  return random() < 0.2 ? scrambled(text, random) : text;
}

function changed(value: Json, random: Random): Json {
  const paths = pathsIn(value);
  const path = pick(random, paths);
  const chance = random();
  // What belongs elsewhere: records of other issues, the same one twice, lists in place of their items.
  if (chance < 0.3) return replaced(value, path, at(value, pick(random, paths)));
  if (chance < 0.4) return doubled(value, path, random);
  return replaced(value, path, random() < 0.02 ? pick(random, wayValues) : pick(random, cheapWays));
}

/** Some entry of the nearest list twice. */
function doubled(value: Json, path: Path, random: Random): Json {
  for (let length = path.length; length >= 0; length--) {
    const list = at(value, path.slice(0, length));
    if (!Array.isArray(list) || list.length === 0) continue;
    const items = list as readonly Json[];
    const longer = items.toSpliced(between(random, 0, items.length), 0, pick(random, items));
    return replaced(value, path.slice(0, length), longer);
  }
  return value;
}

/** Characters that mean something to a parser. */
const marks = `{}[]",:\\eE-+.0tfnu \u0000\ufeff`;

function scrambled(text: string, random: Random): string {
  let now = text;
  for (let changes = between(random, 1, 4); changes > 0; changes--) {
    const place = between(random, 0, now.length + 1);
    const length = between(random, 0, 4);
    const chance = random();
    const mark = marks[between(random, 0, marks.length)] ?? "";
    if (chance < 0.4) now = now.slice(0, place) + mark + now.slice(place + 1);
    else if (chance < 0.7) now = now.slice(0, place) + now.slice(place + length);
    else if (chance < 0.9) now = now.slice(0, place) + mark + now.slice(place);
    else now = now.slice(0, place);
  }
  return now;
}
