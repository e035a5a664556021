/**
 * What our own documents cost of Linear's complexity budget, as complexity.ts counts them (`pageInfo` as often as a node: of
 * two readings of Linear's rule the dearer), without its parser: a start that only scans does not load one. A test holds
 * each figure against the document itself.
 */
import { documents } from "./documents.ts";

/** On whose account a request is sent; see budget.ts. */
export type Use = "running" | "hydration" | "scan" | "agents" | "survey";

/** Points for one issue, label or relation of a page, the page's own fields included. */
export const POINTS_PER_NODE = {
  candidates: 5.2,
  sharedCandidates: 5.2,
  inStates: 5.2,
  openIssues: 2.3,
  statuses: 29.3,
  issues: 77.9,
  moreLabels: 2.3,
  moreRelations: 4.6,
} as const;

/** Besides, for each label that a scan of several workflows shows. */
export const POINTS_PER_LABEL = 1.1;

/** What is asked for once in the life of a tracker: its user, its project. */
const SMALL = { use: "hydration", points: 10 } as const;

/** The names that a board has, once for each text of a workflow. */
export const VOCABULARY_POINTS = 1_998;

const uses = {
  candidates: "scan",
  sharedCandidates: "scan",
  inStates: "scan",
  openIssues: "survey",
  statuses: "running",
  issues: "hydration",
  moreLabels: "hydration",
  moreRelations: "hydration",
} as const satisfies Readonly<Record<keyof typeof POINTS_PER_NODE, Use>>;

const known = new Map<string, { readonly use: Use; readonly perNode: number }>(
  (Object.keys(uses) as (keyof typeof uses)[]).map((name) => [
    documents[name],
    { use: uses[name], perNode: POINTS_PER_NODE[name] },
  ]),
);

/** Whose account one of our documents is on, and its points with these variables. */
export function costOf(
  document: string,
  { first, labelsShown }: Readonly<Record<string, unknown>>,
): { readonly use: Use; readonly points: number } {
  if (document === documents.vocabulary) return { use: "survey", points: VOCABULARY_POINTS };
  const ours = known.get(document);
  if (ours === undefined || typeof first !== "number") return SMALL;
  const labels = typeof labelsShown === "number" ? labelsShown * POINTS_PER_LABEL : 0;
  return { use: ours.use, points: pointsFor(first, ours.perNode + labels) };
}

/** Rounded up like Linear does, after what binary numbers add to a tenth. */
export const pointsFor = (nodes: number, perNode: number): number =>
  Math.ceil(Number((nodes * perNode).toFixed(6)));
