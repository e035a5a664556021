/** Keys of our values to keys of our JSON. */

/** The same value with all keys in snake_case, as SPEC.md spells them; text, numbers and times stay as they are. */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (value instanceof Map) return snakeCase(Object.fromEntries(value));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snake(key), snakeCase(inner)]));
}

const snake = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
