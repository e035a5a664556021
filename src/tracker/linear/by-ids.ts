/** Records by id, in batches, complete or an error: what is missing here is taken for gone (SPEC 11.1). */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { IssueId } from "../../domain/domain.ts";
import { TrackerError } from "../port.ts";
import type { LinearClient } from "./client.ts";
import { allPages, batchLimits } from "./pages.ts";
import { read } from "./read.ts";
import { type LeanShape, nameOf, shapes } from "./shapes.ts";

interface Source<T extends LeanShape> {
  readonly what: string;
  readonly document: string;
  readonly shape: () => T;
  readonly batchSize: number;
}

/** At most one record per id, none that was not asked for. @throws TrackerError when one record cannot be read */
export async function byIds<T extends LeanShape>(
  client: LinearClient,
  { what, document, shape, batchSize }: Source<T>,
  ids: readonly IssueId[],
  signal: AbortSignal,
): Promise<readonly z.output<T>[]> {
  const wanted = [...new Set<string>(ids)];
  const found = new Map<string, z.output<T>>();
  for (let from = 0; from < wanted.length; from += batchSize) {
    const batch = new Set(wanted.slice(from, from + batchSize));
    const records = await allPages(what, batchLimits, async (after) => {
      const variables = { ids: [...batch], first: batch.size, ...(after === null ? {} : { after }) };
      const data = await client.data({ what, document, variables }, signal);
      const { nodes, pageInfo } = read(what, shapes().refreshPage, data).issues;
      const records = nodes.map((node) => read(`${what} (${nameOf(node)})`, shape(), node, { record: true }));
      // All that were asked for are all there are, whatever the page says or does not say of more.
      const asked = isAll(batch, records) ? Number.POSITIVE_INFINITY : batch.size;
      return { nodes: records, pageInfo, asked };
    });
    for (const record of records) {
      if (batch.has(record.id)) found.set(record.id, theSame(what, found.get(record.id), record));
    }
  }
  return [...found.values()];
}

function isAll(ids: ReadonlySet<string>, records: readonly { readonly id: string }[]): boolean {
  const there = new Set(records.map((record) => record.id));
  return [...ids].every((id) => there.has(id));
}

/** @throws TrackerError for two records of one issue that disagree: to take either would be a guess */
function theSame<T extends { readonly identifier: string }>(what: string, before: T | undefined, now: T): T {
  if (before === undefined || isDeepStrictEqual(before, now)) return now;
  throw new TrackerError(
    "tracker_response",
    `Linear's answer to ${what} cannot be read: it has ${now.identifier} twice, and differently.`,
    { record: true },
  );
}
