/** Labels and relations of one issue to their end: nearly always in the record already, else asked page by page. */
import type { LinearClient } from "./client.ts";
import { documents, PART_PAGE_SIZE } from "./documents.ts";
import { allPages, type Page, partLimits } from "./pages.ts";
import { read } from "./read.ts";
import { type IssueRecord, type LabelNode, type RelationNode, shapes, type StatusRecord } from "./shapes.ts";

/** A page costs 231 points of labels or 461 of relations; an issue that needs a second one is not expected. */
export const MORE_PAGE_SIZE = 100;

/** With the first page that was read already, or from the start. @throws TrackerError */
export function allLabels(
  client: LinearClient,
  {
    id,
    identifier,
    labels,
  }: Pick<StatusRecord, "id" | "identifier"> & { readonly labels?: StatusRecord["labels"] },
  signal: AbortSignal,
): Promise<readonly LabelNode[]> {
  const what = `the labels of ${identifier}`;
  return allPages(what, partLimits, async (after): Promise<Page<LabelNode>> => {
    if (after === null && labels !== undefined) return { ...labels, asked: PART_PAGE_SIZE };
    const data = await client.data(next(what, documents.moreLabels, id, after), signal);
    return { ...read(what, shapes().labelsPage, data).issue.labels, asked: MORE_PAGE_SIZE };
  });
}

/** @throws TrackerError */
export function allRelations(
  client: LinearClient,
  record: IssueRecord,
  signal: AbortSignal,
): Promise<readonly RelationNode[]> {
  const what = `the relations of ${record.identifier}`;
  return allPages(what, partLimits, async (after): Promise<Page<RelationNode>> => {
    if (after === null) return { ...record.inverseRelations, asked: PART_PAGE_SIZE };
    const data = await client.data(next(what, documents.moreRelations, record.id, after), signal);
    return { ...read(what, shapes().relationsPage, data).issue.inverseRelations, asked: MORE_PAGE_SIZE };
  });
}

const next = (what: string, document: string, id: string, after: string | null) => ({
  what,
  document,
  variables: { id, first: MORE_PAGE_SIZE, ...(after === null ? {} : { after }) },
});
