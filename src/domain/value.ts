/** Values from outside whose shape nobody has looked at yet. */

/** An object whose members have not been looked at. */
export type Fields = { readonly [name: string]: unknown };

/** Whether the value is an object with members, and neither a list nor null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as an object; anything else counts as an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The system's name of an error, such as `ENOENT`; null when it has none. */
export function codeOf(error: unknown): string | null {
  const { code } = fieldsOf(error);
  return typeof code === "string" ? code : null;
}
