/** Reading a paged list to its end, or failing: half a list is never returned (SPEC 11.1, 11.4). */
import { TrackerError } from "../port.ts";

/** How far a list is read. */
interface PageLimits {
  readonly pagesMax: number;
  /** Whatever sizes the pages have. */
  readonly nodesMax: number;
  /** The list hangs on one issue. */
  readonly ofRecord?: boolean;
}

/** At 50 to a page 10,000 issues: more than a board that anybody looks at, and a quarter of an hour's budget at Linear. */
export const scanLimits: PageLimits = { pagesMax: 200, nodesMax: 50_000 };

/** Labels or relations of one issue, 100 to a page: several times what anybody has seen. */
export const partLimits: PageLimits = { pagesMax: 5, nodesMax: 2_000, ofRecord: true };

/** A handful of issues asked for by id, on one page as a rule. */
export const batchLimits: PageLimits = { pagesMax: 5, nodesMax: 10_000 };

export interface Page<T> {
  readonly nodes: readonly T[];
  /** How many nodes were asked for: a page that does not say whether more follows is the last only if it has fewer. */
  readonly asked: number;
  readonly pageInfo?:
    | { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined }
    | null
    | undefined;
}

/**
 * All nodes of all pages, in the server's order. `ask` gets the cursor to go on after, null for the first page.
 * @throws TrackerError `tracker_pagination` when the cursors cannot be followed to an end
 */
export async function allPages<T>(
  what: string,
  limits: PageLimits,
  ask: (after: string | null) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const { pagesMax, nodesMax } = limits;
  const nodes: T[] = [];
  const seen = new Set<string>();
  let after: string | null = null;
  for (let page = 1; page <= pagesMax; page++) {
    const answer: Page<T> = await ask(after);
    for (const node of answer.nodes) nodes.push(node);
    if (nodes.length > nodesMax) throw broken(what, `it has more than ${nodesMax} entries`, limits);
    const { pageInfo = null, asked } = answer;
    if (pageInfo === null && answer.nodes.length >= asked)
      throw broken(what, `page ${page} does not say whether there are more`, limits);
    if (pageInfo?.hasNextPage !== true) return nodes;
    after = pageInfo.endCursor ?? "";
    if (after === "")
      throw broken(what, `page ${page} says that there are more, but not where they begin`, limits);
    if (seen.has(after)) throw broken(what, `page ${page} leads back to an earlier page`, limits);
    seen.add(after);
  }
  throw broken(what, `it has more than ${pagesMax} pages, which is the most that Baton reads`, limits);
}

const broken = (what: string, why: string, { ofRecord = false }: PageLimits): TrackerError =>
  new TrackerError(
    "tracker_pagination",
    `The list that Linear gave for ${what} cannot be read to its end: ${why}.`,
    { record: ofRecord },
  );
