/**
 * What Linear's answers must look like, in zod. Strict where a wrong value could start or stop work (ids, state,
 * archived, assignee, labels, relations), forgiving where it only decorates (dates, priority, description).
 */
import { z } from "zod";

/** Ids are UUIDs at Linear; anything longer than this is no id. */
const ID_MAX = 128;

/** Identifiers are a team key and a number; also the longest name that every file system takes for a directory. */
const IDENTIFIER_MAX = 255;

/** State and label names are short at Linear; this only keeps nonsense out of the ledger. */
const NAME_MAX = 1000;

/** More issues on one page than a scan reads at all, more labels or relations than an issue ever has: not a page. */
const ISSUES_PER_PAGE_MAX = 10_000;
const PARTS_PER_PAGE_MAX = 1_000;

/**
 * A text that is looked at only if it is short enough: what reads each character once may still be met with thirty
 * million of them, and a pattern that goes back over what it has read would take days.
 */
const text = (max: number, isGood: (value: string) => boolean, what: string) =>
  z.string().refine((value) => value.length <= max && isGood(value), what);

/** Counted before its items are looked at: each bad one of six million would leave an error behind. */
const arrayOf = <T extends z.ZodType>(item: T, max: number) =>
  z
    .array(z.unknown())
    .refine((items) => items.length <= max, `more than ${max} items`)
    .pipe(z.array(item));

type Shapes = ReturnType<typeof newShapes>;

let made: Shapes | null = null;

/** Made with the first answer: sixty schemas take a start some milliseconds in which it could ask its first question. */
export const shapes = (): Shapes => (made ??= newShapes());

function newShapes() {
  const id = text(ID_MAX, (value) => /^[\x21-\x7e]+$/.test(value), "not an id");

  // \p{C}: control, formatting (which can reorder what people see) and lone surrogates.
  const identifier = text(
    IDENTIFIER_MAX,
    (value) => value.trim() !== "" && !/\p{C}/u.test(value),
    "not an identifier",
  );

  // Names may join emoji with formatting characters, so only what cannot be text is refused.
  const name = text(NAME_MAX, (value) => value.trim() !== "" && !/[\p{Cc}\p{Cs}]/u.test(value), "not a name");

  const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

  // A list inside a record, and whether there is more of it.
  const listOf = <T extends z.ZodType>(node: T, max = PARTS_PER_PAGE_MAX) =>
    z.object({ nodes: arrayOf(node, max), pageInfo: pageInfo.nullish() });

  const anyWords = text(NAME_MAX, () => true, "too long");

  const label = z.object({ name: anyWords });

  const relation = z.object({
    type: anyWords,
    issue: z
      .object({ id: id.nullish(), identifier: identifier.nullish(), state: z.object({ name }).nullish() })
      .nullish(),
  });

  const lean = z.object({
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

  const labels = listOf(label);
  const relations = listOf(relation);

  // Asked for, so it is there: an issue whose project is not said could be anybody's.
  const project = z.object({ slugId: name }).nullable();

  const status = lean.extend({ labels, project });

  // With those of its labels that were asked for by name.
  const namedLabels = lean.extend({
    labels: z.object({ nodes: arrayOf(label, PARTS_PER_PAGE_MAX) }),
  });

  // What its own tools take besides its id; without it they can still ask.
  const ref = z.object({ id }).nullish().catch(null);

  const issue = status.extend({
    state: z.object({ name, id: id.nullish().catch(null) }),
    team: ref,
    project: z.object({ slugId: name, id: id.nullish().catch(null) }).nullable(),
    inverseRelations: relations,
    description: z.unknown().optional(),
    branchName: z.unknown().optional(),
    url: z.unknown().optional(),
  });

  // Pages of issues, whose records are looked at one by one. A scan that does not say whether it is whole is not read.
  const refreshPage = z.object({ issues: listOf(z.unknown(), ISSUES_PER_PAGE_MAX) });
  const scanPage = z.object({
    issues: z.object({ nodes: arrayOf(z.unknown(), ISSUES_PER_PAGE_MAX), pageInfo }),
  });
  const labelsPage = z.object({ issue: z.object({ labels }) });
  const relationsPage = z.object({ issue: z.object({ inverseRelations: relations }) });
  const viewer = z.object({
    viewer: z.object({ id, name: identifier.nullish().catch(null), email: identifier.nullish().catch(null) }),
  });
  const organisation = z.object({ organization: z.object({ id }) });
  const projects = z.object({
    projects: z.object({ nodes: arrayOf(z.object({ name: identifier }), PARTS_PER_PAGE_MAX) }),
  });
  const users = z.object({
    users: z.object({ nodes: arrayOf(z.object({ id }), PARTS_PER_PAGE_MAX) }),
  });

  const ids = z.object({ issues: z.object({ nodes: arrayOf(z.object({ id }), ISSUES_PER_PAGE_MAX) }) });
  const idsPage = z.object({ issues: z.object({ nodes: ids.shape.issues.shape.nodes, pageInfo }) });
  const names = arrayOf(z.object({ name: anyWords }), PARTS_PER_PAGE_MAX);
  const team = z.object({ key: anyWords, states: z.object({ nodes: names }) });
  const vocabulary = z.object({
    projects: z.object({
      nodes: arrayOf(z.object({ name: anyWords, teams: listOf(team) }), PARTS_PER_PAGE_MAX),
    }),
    issueLabels: listOf(label),
    named: z.object({ nodes: names }),
  });

  const named = z.object({ identifier: identifier.optional(), id: id.optional() });

  return {
    label,
    relation,
    lean,
    status,
    namedLabels,
    issue,
    refreshPage,
    scanPage,
    labelsPage,
    relationsPage,
    viewer,
    organisation,
    projects,
    users,
    ids,
    idsPage,
    vocabulary,
    named,
  };
}

/** What every record has; those with more of it are asked for under the same name. */
export type LeanShape = Shapes["lean"];
export type Lean = z.infer<Shapes["lean"]>;
export type LabelNode = z.infer<Shapes["label"]>;
export type RelationNode = z.infer<Shapes["relation"]>;
export type StatusRecord = z.infer<Shapes["status"]>;
export type NamedLabels = z.infer<Shapes["namedLabels"]>;
export type IssueRecord = z.infer<Shapes["issue"]>;

/** What to call a record that cannot be read: its identifier or id if it has one. */
export function nameOf(record: unknown): string {
  const named = shapes().named.safeParse(record);
  return named.data?.identifier ?? named.data?.id ?? "an issue without a readable id";
}

/** Where and why a value is not what it should be: `issues.nodes: expected array, received null`. First problem only. */
export function problemOf(error: z.ZodError): string {
  const first = error.issues[0];
  if (first === undefined) return "it has the wrong form";
  const path = first.path.join(".");
  return path === "" ? first.message : `${path}: ${first.message}`;
}
