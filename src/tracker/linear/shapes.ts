/**
 * What Linear's answers must look like, in zod. Strict where a wrong value could start or stop work (ids, state,
 * archived, assignee, labels, relations), forgiving where it only decorates (dates, priority, description).
 */
import { z } from "zod";

/** Ids are UUIDs at Linear; anything longer than this is no id. */
const idMax = 128;

/** Identifiers are a team key and a number; also the longest name that every file system takes for a directory. */
const identifierMax = 255;

/** State and label names are short at Linear; this only keeps nonsense out of the ledger. */
const nameMax = 1000;

/** More issues on one page than a scan reads at all, more labels or relations than an issue ever has: not a page. */
const issuesPerPageMax = 10_000;
const partsPerPageMax = 1_000;

/**
 * A text that is looked at only if it is short enough: what reads each character once may still be met with thirty
 * million of them, and a pattern that goes back over what it has read would take days.
 */
const text = (max: number, isGood: (value: string) => boolean, what: string) =>
  z.string().refine((value) => value.length <= max && isGood(value), what);

const id = text(idMax, (value) => /^[\x21-\x7e]+$/.test(value), "not an id");

// \p{C}: control, formatting (which can reorder what people see) and lone surrogates.
const identifier = text(
  identifierMax,
  (value) => value.trim() !== "" && !/\p{C}/u.test(value),
  "not an identifier",
);

// Names may join emoji with formatting characters, so only what cannot be text is refused.
const name = text(nameMax, (value) => value.trim() !== "" && !/[\p{Cc}\p{Cs}]/u.test(value), "not a name");

/** Counted before its items are looked at: each bad one of six million would leave an error behind. */
const arrayOf = <T extends z.ZodType>(item: T, max: number) =>
  z
    .array(z.unknown())
    .refine((items) => items.length <= max, `more than ${max} items`)
    .pipe(z.array(item));

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

/** A list inside a record, and whether there is more of it. */
const listOf = <T extends z.ZodType>(node: T, max = partsPerPageMax) =>
  z.object({ nodes: arrayOf(node, max), pageInfo: pageInfo.nullish() });

const anyWords = text(nameMax, () => true, "too long");

const label = z.object({ name: anyWords });

const relation = z.object({
  type: anyWords,
  issue: z
    .object({ id: id.nullish(), identifier: identifier.nullish(), state: z.object({ name }).nullish() })
    .nullish(),
});

export const leanShape = z.object({
  id,
  identifier,
  title: z.string().regex(/[^\p{Cc}\s]/u, "blank"),
  state: z.object({ name }),
  priority: z.unknown().optional(),
  createdAt: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  archivedAt: z.string().nullish(),
  trashed: z.boolean().nullish(),
  assignee: z.object({ id }).nullish(),
});

const labelsShape = listOf(label);
const relationsShape = listOf(relation);

export const statusShape = leanShape.extend({ labels: labelsShape });

export const issueShape = statusShape.extend({
  inverseRelations: relationsShape,
  description: z.unknown().optional(),
  branchName: z.unknown().optional(),
  url: z.unknown().optional(),
});

/** Pages of issues, whose records are looked at one by one. A scan that does not say whether it is whole is not read. */
export const refreshPageShape = z.object({ issues: listOf(z.unknown(), issuesPerPageMax) });
export const scanPageShape = z.object({
  issues: z.object({ nodes: arrayOf(z.unknown(), issuesPerPageMax), pageInfo }),
});
export const labelsPageShape = z.object({ issue: z.object({ labels: labelsShape }) });
export const relationsPageShape = z.object({ issue: z.object({ inverseRelations: relationsShape }) });
export const viewerShape = z.object({
  viewer: z.object({ id, name: identifier.nullish().catch(null), email: identifier.nullish().catch(null) }),
});
export const usersShape = z.object({
  users: z.object({ nodes: arrayOf(z.object({ id }), partsPerPageMax) }),
});

export type Lean = z.infer<typeof leanShape>;
export type LabelNode = z.infer<typeof label>;
export type RelationNode = z.infer<typeof relation>;
export type StatusRecord = z.infer<typeof statusShape>;
export type IssueRecord = z.infer<typeof issueShape>;

const namedShape = z.object({ identifier: identifier.optional(), id: id.optional() });

/** What to call a record that cannot be read: its identifier or id if it has one. */
export function nameOf(record: unknown): string {
  const named = namedShape.safeParse(record);
  return named.data?.identifier ?? named.data?.id ?? "an issue without a readable id";
}

/** Where and why a value is not what it should be: `issues.nodes: expected array, received null`. First problem only. */
export function problemOf(error: z.ZodError): string {
  const first = error.issues[0];
  if (first === undefined) return "it has the wrong form";
  const path = first.path.join(".");
  return path === "" ? first.message : `${path}: ${first.message}`;
}
