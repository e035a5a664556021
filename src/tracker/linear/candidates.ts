/** The scan for candidates: of one workflow alone, or of several on one project together. */
import { type IssueSummary, stateKey } from "../../domain/domain.ts";
import { TrackerError } from "../port.ts";
import type { LinearClient } from "./client.ts";
import { documents, SCAN_PAGE_SIZE } from "./documents.ts";
import { allLabels } from "./lists.ts";
import { summaryOf } from "./normalise.ts";
import { slugIdsOf } from "./project.ts";
import { scan, type Scanned } from "./scan.ts";
import { type NamedLabels, shapes } from "./shapes.ts";

/** Which issues of a project a workflow takes. */
export interface CandidateScope {
  /** At least one. */
  readonly states: readonly string[];
  /** An issue carries all of them. */
  readonly labels: readonly string[];
  /** A user id; null = anybody or nobody. */
  readonly assignee: string | null;
}

const what = "the scan for candidates";

/** What one workflow takes. @throws TrackerError */
export function ownScan(
  client: LinearClient,
  projectSlug: string,
  { states, labels, assignee }: CandidateScope,
  signal: AbortSignal,
): Promise<Scanned<IssueSummary>> {
  const variables = {
    projectSlugs: slugIdsOf(projectSlug),
    states: stateFilters(states),
    ...(labels.length > 0 ? { labels: labelFilters(labels) } : {}),
    ...(assignee === null ? {} : { assignee: assigneeFilter(assignee) }),
  };
  const from = {
    what,
    document: documents.candidates,
    variables,
    shape: () => shapes().lean,
    first: SCAN_PAGE_SIZE,
  };
  return scan(client, from, (record) => summaryOf(record, assignee), signal);
}

/** Points of one page of a shared scan, as Linear counts them, against those of one scan per workflow. */
const OWN_POINTS = 260;
const POINTS_PER_LABEL = 55;

/**
 * Whether one scan for all is cheaper than one for each: every required label has to be shown by every issue. Reckoned for
 * lists that fit in a page each, or have the same issues; long ones that differ would be cheaper apart.
 */
export const isWorthSharing = (scopes: readonly CandidateScope[]): boolean =>
  scopes.length > 1 && OWN_POINTS + POINTS_PER_LABEL * labelsShown(scopes) < OWN_POINTS * scopes.length;

const labelsOf = (scopes: readonly CandidateScope[]): readonly string[] => [
  ...new Set(scopes.flatMap(({ labels }) => labels.map(stateKey))),
];

const labelsShown = (scopes: readonly CandidateScope[]): number => Math.max(1, labelsOf(scopes).length);

/** An issue that some of several workflows take. */
interface Shared {
  readonly id: string;
  readonly identifier: string;
  readonly summary: IssueSummary;
  readonly assignee: string | null;
  readonly labels: readonly string[];
  /** The labels that were shown may not be all that matter: one name came twice and took the place of another. */
  readonly unsure: boolean;
}

/** What each of these workflows takes, in their order, by one scan. @throws TrackerError */
export async function sharedScan(
  client: LinearClient,
  projectSlug: string,
  scopes: readonly CandidateScope[],
  signal: AbortSignal,
): Promise<readonly Scanned<IssueSummary>[]> {
  const names = labelsOf(scopes);
  const shown = labelsShown(scopes);
  const variables = {
    projectSlugs: slugIdsOf(projectSlug),
    scopes: scopes.map(scopeFilter),
    ...(names.length > 0 ? { labels: { or: names.map((name) => ({ name: { eqIgnoreCase: name } })) } } : {}),
    labelsShown: shown,
  };
  const document = documents.sharedCandidates;
  const from = {
    what,
    document,
    variables,
    shape: () => shapes().namedLabels,
    first: SCAN_PAGE_SIZE,
    lists: scopes.length,
  };
  const { issues: found, rejected } = await scan(client, from, (record) => keep(record, shown), signal);
  const issues: Shared[] = [];
  const left: string[] = [];
  for (const issue of found) {
    const sure = issue.unsure ? await withAllLabels(client, issue, signal).catch(wordsFor) : issue;
    if (typeof sure === "string") left.push(`Left out of ${what}: ${sure}`);
    else issues.push(sure);
  }
  const told = [...rejected, ...left];
  return scopes.map((scope) => ({ issues: issues.flatMap((issue) => taken(issue, scope)), rejected: told }));
}

/** An issue whose labels cannot be read is left out; it must not take the whole list along. */
function wordsFor(error: unknown): string {
  if (error instanceof TrackerError && error.record) return error.what;
  throw error;
}

function keep(record: NamedLabels, shown: number): Shared {
  const nodes = record.labels.nodes.map(({ name }) => stateKey(name));
  const labels = [...new Set(nodes)];
  return {
    id: record.id,
    identifier: record.identifier,
    summary: summaryOf(record, null),
    assignee: record.assignee?.id ?? null,
    labels,
    unsure: nodes.length >= shown && labels.length < shown,
  };
}

async function withAllLabels(client: LinearClient, issue: Shared, signal: AbortSignal): Promise<Shared> {
  const { id, identifier } = issue;
  const labels = await allLabels(client, { id, identifier }, signal);
  return { ...issue, labels: labels.map(({ name }) => stateKey(name)), unsure: false };
}

function taken({ summary, assignee, labels }: Shared, scope: CandidateScope): readonly IssueSummary[] {
  const isTaken =
    scope.states.map(stateKey).includes(stateKey(summary.state)) &&
    scope.labels.map(stateKey).every((label) => labels.includes(label)) &&
    (scope.assignee === null || scope.assignee === assignee);
  return isTaken ? [summary] : [];
}

const scopeFilter = ({ states, labels, assignee }: CandidateScope) => ({
  state: { or: stateFilters(states) },
  ...(labels.length > 0 ? { and: labelFilters(labels) } : {}),
  ...(assignee === null ? {} : { assignee: assigneeFilter(assignee) }),
});

/** States by name, whatever their case (SPEC 4.2). */
export const stateFilters = (states: readonly string[]) =>
  states.map((name) => ({ name: { eqIgnoreCase: name.trim() } }));

const labelFilters = (labels: readonly string[]) =>
  labels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } }));

const assigneeFilter = (id: string) => ({ id: { eq: id } });
