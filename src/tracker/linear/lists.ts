/** Labels and relations of one issue to their end: nearly always in the record already, else asked page by page. */
import type { LinearClient } from "./client.ts";
import { documents } from "./documents.ts";
import { allPages, type Page } from "./pages.ts";
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
const listPageSize = 100;

/** @throws TrackerError */
export function allLabels(
  client: LinearClient,
  record: StatusRecord,
  signal: AbortSignal,
): Promise<readonly LabelNode[]> {
  const what = `the labels of ${record.identifier}`;
  return allPages(what, async (after) => {
    if (after === null) return record.labels;
    const data = await client.data(next(what, documents.moreLabels, record.id, after), signal);
    return read(what, labelsPageShape, data).issue.labels;
  });
}

/** @throws TrackerError */
export function allRelations(
  client: LinearClient,
  record: IssueRecord,
  signal: AbortSignal,
): Promise<readonly RelationNode[]> {
  const what = `the relations of ${record.identifier}`;
  return allPages(what, async (after): Promise<Page<RelationNode>> => {
    if (after === null) return record.inverseRelations;
    const data = await client.data(next(what, documents.moreRelations, record.id, after), signal);
    return read(what, relationsPageShape, data).issue.inverseRelations;
  });
}

const next = (what: string, document: string, id: string, after: string) => ({
  what,
  document,
  variables: { id, first: listPageSize, after },
});
