/** Records by id, in batches, complete or an error: what is missing here is taken for gone (SPEC 11.1). */
import type { z } from "zod";
import type { IssueId } from "../../domain/issue.ts";
import type { LinearClient } from "./client.ts";
import { allPages } from "./pages.ts";
import { read } from "./read.ts";
import { nameOf, refreshPageShape, type leanShape } from "./shapes.ts";

interface Source<T extends typeof leanShape> {
  readonly what: string;
  readonly document: string;
  readonly shape: T;
  readonly batchSize: number;
}

/** At most one record per id, none that was not asked for. @throws TrackerError when one record cannot be read */
export async function byIds<T extends typeof leanShape>(
  client: LinearClient,
  { what, document, shape, batchSize }: Source<T>,
  ids: readonly IssueId[],
  signal: AbortSignal,
): Promise<readonly z.output<T>[]> {
  const wanted = [...new Set<string>(ids)];
  const found = new Map<string, z.output<T>>();
  for (let from = 0; from < wanted.length; from += batchSize) {
    const batch = wanted.slice(from, from + batchSize);
    const nodes = await allPages(what, async (after) => {
      const variables = { ids: batch, first: batch.length, ...(after === null ? {} : { after }) };
      return read(what, refreshPageShape, await client.data({ what, document, variables }, signal)).issues;
    });
    for (const node of nodes) {
      const record = read(`${what} (${nameOf(node)})`, shape, node);
      if (batch.includes(record.id)) found.set(record.id, record);
    }
  }
  return [...found.values()];
}
