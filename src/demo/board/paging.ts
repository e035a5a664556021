/** Connections as Linear makes them: cursors are opaque ids, newest first, 50 unless asked, archived ones only when asked. */
import { BoardError } from "./store.ts";

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
  readonly includeArchived?: boolean | null;
  readonly orderBy?: "createdAt" | "updatedAt" | null;
}

interface Row {
  readonly id: string;
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  readonly archivedAt?: Date | null;
}

const PAGE_DEFAULT = 50;
/** The most that Linear gives in one page. */
const PAGE_MAX = 250;

export interface Connection<V> {
  readonly nodes: readonly V[];
  readonly edges: readonly { readonly cursor: string; readonly node: V }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The page of these rows, each shown by `view`. @throws BoardError for a cursor or size that Linear would not take */
export function connection<R extends Row, V>(
  rows: Iterable<R>,
  page: PageArguments,
  view: (row: R) => V,
): Connection<V> {
  const shown = [...rows].filter((row) => page.includeArchived === true || (row.archivedAt ?? null) === null);
  const sorted = shown.every((row) => row.createdAt)
    ? newestFirst(shown, page.orderBy ?? "createdAt")
    : shown;
  const from = page.after === null || page.after === undefined ? 0 : 1 + indexOf(sorted, page.after);
  const to = page.before === null || page.before === undefined ? sorted.length : indexOf(sorted, page.before);
  const within = sorted.slice(from, to);
  const part =
    page.last === null || page.last === undefined
      ? within.slice(0, sizeOf(page.first))
      : within.slice(-sizeOf(page.last));
  const start = part[0] === undefined ? from : sorted.indexOf(part[0]);
  const edges = part.map((row) => ({ cursor: row.id, node: view(row) }));
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: start + part.length < sorted.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

function newestFirst<R extends Row>(rows: readonly R[], by: "createdAt" | "updatedAt"): readonly R[] {
  const time = (row: R): number => (row[by] ?? row.createdAt)?.getTime() ?? 0;
  // Rows made in the same millisecond keep the order of their making, reversed like the rest.
  return rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => time(b.row) - time(a.row) || b.index - a.index)
    .map(({ row }) => row);
}

function indexOf(rows: readonly Row[], cursor: string): number {
  const index = rows.findIndex((row) => row.id === cursor);
  if (index === -1) throw new BoardError("Invalid cursor: it belongs to no row of this list");
  return index;
}

function sizeOf(asked: number | null | undefined): number {
  const size = asked ?? PAGE_DEFAULT;
  if (size < 1 || size > PAGE_MAX)
    throw new BoardError(`Argument Validation Error: first must be 1 to ${PAGE_MAX}`);
  return size;
}
