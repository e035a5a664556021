/** Reading a paged list to its end, or failing: half a list is never returned (SPEC 11.1, 11.4). */
import { TrackerError } from "../tracker.ts";

/** 10,000 issues in a scan: more than a board that anybody looks at, and a quarter of an hour's budget at Linear. */
const pagesMax = 200;

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo?:
    | { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined }
    | null
    | undefined;
}

/**
 * All nodes of all pages, in the server's order. `ask` gets the cursor to go on after, null for the first page.
 * @throws TrackerError `linear_missing_end_cursor` when the cursors cannot be followed to an end
 */
export async function allPages<T>(
  what: string,
  ask: (after: string | null) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const nodes: T[] = [];
  const seen = new Set<string>();
  let after: string | null = null;
  for (let page = 1; page <= pagesMax; page++) {
    const answer: Page<T> = await ask(after);
    nodes.push(...answer.nodes);
    if (answer.pageInfo?.hasNextPage !== true) return nodes;
    after = answer.pageInfo.endCursor ?? "";
    if (after === "") throw broken(what, `page ${page} says that there are more, but not where they begin`);
    if (seen.has(after)) throw broken(what, `page ${page} leads back to an earlier page`);
    seen.add(after);
  }
  throw broken(what, `it has more than ${pagesMax} pages, which is the most that Baton reads`);
}

const broken = (what: string, why: string): TrackerError =>
  new TrackerError(
    "linear_missing_end_cursor",
    `The list that Linear gave for ${what} cannot be read to its end: ${why}. Nothing of it was used.`,
  );
