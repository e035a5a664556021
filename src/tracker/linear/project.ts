/**
 * Which project a slug means. Linear's address of a project ends in its name and an id (`web-app-a1b2c3d4e5f6`); what its
 * API takes and gives as `slugId` is the whole of that or the id alone, so both are asked for and understood. Pure.
 */

/** The name of a project may hold anything; its id is twelve hexadecimal digits. */
const NAMED = /^.+-([0-9a-f]{12})$/i;

const idIn = (slug: string): string | null => NAMED.exec(slug)?.[1]?.toLowerCase() ?? null;

/** What `slugId` may be of the project that is meant, for a filter by `in`. */
export function slugIdsOf(slug: string): readonly string[] {
  const whole = slug.trim();
  const id = idIn(whole);
  return id === null ? [whole] : [whole, id];
}

/** Whether two slugs are of one project: a project that was given another name keeps its id. */
export const isSameProject = (one: string, other: string): boolean => keyOf(one) === keyOf(other);

const keyOf = (slug: string): string => idIn(slug.trim()) ?? slug.trim().toLowerCase();
