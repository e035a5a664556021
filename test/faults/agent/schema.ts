/** Values that a JSON Schema allows, chosen by chance: as sparse, as full and as odd as it lets them be. */
import { below, oneOf } from "./mutations.ts";

export type Schema = { readonly [key: string]: unknown };
type Random = () => number;

/** Texts for members of these names; others get any text. */
export type Names = { readonly [member: string]: readonly string[] };

/** Beyond this only what must be there is there, and the first of all alternatives. */
const DEPTH_MAX = 7;
const LIST_MAX = 3;

const TEXTS = [
  "",
  "x",
  "ä\u0000",
  "__proto__",
  "agentMessage",
  "completed",
  "/home/agent/ticket",
  "y".repeat(3000),
];
const NUMBERS = [0, 1, -1, 7, 1.5, 100, 1e9, 2 ** 53, 1e308];

export class Values {
  readonly #definitions: Schema;
  readonly #names: Names;
  readonly #random: Random;

  constructor(definitions: Schema, names: Names, random: Random) {
    this.#definitions = definitions;
    this.#names = names;
    this.#random = random;
  }

  of(schema: unknown, name = "", depth = 0): unknown {
    if (typeof schema !== "object" || schema === null) return oneOf(this.#random, TEXTS);
    const known = schema as Schema;
    const { $ref, oneOf: one, anyOf, allOf, enum: words, type } = known;
    if (typeof $ref === "string")
      return this.of(this.#definitions[$ref.slice("#/definitions/".length)], name, depth + 1);
    if ("const" in known) return known["const"];
    if (Array.isArray(words)) return oneOf(this.#random, words);
    const alternatives = [one, anyOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
    const members = this.#members(known, depth);
    if (alternatives !== undefined)
      return merged(this.of(this.#one(alternatives, depth), name, depth + 1), members);
    if (Array.isArray(allOf))
      return merged(...allOf.map((part: unknown) => this.of(part, name, depth + 1)), members);
    return this.#typed(Array.isArray(type) ? this.#one(type, depth) : type, known, members, name, depth);
  }

  #typed(type: unknown, schema: Schema, members: Schema, name: string, depth: number): unknown {
    switch (type) {
      case "string":
        return oneOf(this.#random, this.#names[name] ?? TEXTS);
      case "integer":
        return Math.trunc(oneOf(this.#random, NUMBERS));
      case "number":
        return oneOf(this.#random, NUMBERS);
      case "boolean":
        return this.#random() < 0.5;
      case "null":
        return null;
      case "array": {
        const length = depth > DEPTH_MAX ? 0 : below(this.#random, LIST_MAX + 1);
        return Array.from({ length }, () => this.of(schema["items"], name, depth + 1));
      }
      case "object":
        return members;
      default:
        return "properties" in schema
          ? members
          : oneOf<unknown>(this.#random, [...TEXTS, ...NUMBERS, null, {}, []]);
    }
  }

  #one<T>(list: readonly T[], depth: number): T | undefined {
    return depth > DEPTH_MAX ? list.at(-1) : oneOf(this.#random, list);
  }

  #members(schema: Schema, depth: number): Schema {
    const properties = Object.entries(schema["properties"] ?? {});
    const required = (schema["required"] ?? []) as readonly string[];
    const isThere = (name: string): boolean =>
      required.includes(name) || (depth <= DEPTH_MAX && this.#random() < 0.6);
    const there = properties.filter(([name]) => isThere(name));
    return Object.fromEntries(there.map(([name, inner]) => [name, this.of(inner, name, depth + 1)]));
  }
}

/** Objects as one; of others, the first. */
function merged(...parts: readonly unknown[]): unknown {
  const objects = parts.filter((part) => typeof part === "object" && part !== null && !Array.isArray(part));
  return objects.length === parts.length ? Object.assign({}, ...objects) : parts[0];
}
