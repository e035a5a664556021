/** Labels and relations of one issue to their end: nearly always in the record already, else asked page by page. */
import type { LinearClient } from "./client.ts";
import { documents, partPageSize } from "./documents.ts";
import { allPages, partLimits, type Page } from "./pages.ts";
import { read } from "./read.ts";
import {
  labelsPageShape,
  relationsPageShape,
  type IssueRecord,
  type LabelNode,
  type RelationNode,
  type StatusRecord,
} from "./shapes.ts";

/** A page costs 110 points of labels or 330 of relations; an issue that needs a second one is not expected. */
const morePageSize = 100;

/** @throws TrackerError */
export function allLabels(
  client: LinearClient,
  record: StatusRecord,
  signal: AbortSignal,
): Promise<readonly LabelNode[]> {
  const what = `the labels of ${record.identifier}`;
  return allPages(what, partLimits, async (after): Promise<Page<LabelNode>> => {
    if (after === null) return { ...record.labels, asked: partPageSize };
    const data = await client.data(next(what, documents.moreLabels, record.id, after), signal);
    return { ...read(what, labelsPageShape, data).issue.labels, asked: morePageSize };
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
    if (after === null) return { ...record.inverseRelations, asked: partPageSize };
    const data = await client.data(next(what, documents.moreRelations, record.id, after), signal);
    return { ...read(what, relationsPageShape, data).issue.inverseRelations, asked: morePageSize };
  });
}

const next = (what: string, document: string, id: string, after: string) => ({
  what,
  document,
  variables: { id, first: morePageSize, after },
});
