/** What people want to know of a board besides what is worked on: one issue by its name, how many are open, what things are called. */
import {
  type IssueId,
  issueId,
  type OpenCount,
  stateKey,
  type TrackerSettings,
} from "../../domain/domain.ts";
import type { Vocabulary } from "../port.ts";
import type { Cost } from "./accounts.ts";
import { stateFilters } from "./candidates.ts";
import type { LinearClient } from "./client.ts";
import { documents, LABELS_MAX, STATES_MAX, TEAMS_MAX } from "./documents.ts";
import { pointsFor, POINTS_PER_NODE, VOCABULARY_POINTS } from "./points.ts";
import { slugIdsOf } from "./project.ts";
import { read } from "./read.ts";
import { shapes } from "./shapes.ts";

const IDENTIFIER = /^([a-z][a-z0-9]*)-(\d{1,9})$/i;

/** The id that a person means by an identifier or an id; null = no issue has this identifier. @throws TrackerError */
export async function idOf(client: LinearClient, name: string, signal: AbortSignal): Promise<IssueId | null> {
  const [, team, number] = IDENTIFIER.exec(name.trim()) ?? [];
  if (team === undefined) return issueId(name.trim());
  const what = `the look for ${name.trim()}`;
  const variables = { team, number: Number(number), first: 1 };
  const data = await client.data({ what, document: documents.issueByNumber, variables }, signal);
  const [found] = read(what, shapes().ids, data).issues.nodes;
  return found === undefined ? null : issueId(found.id);
}

/** Ids in one page: 575 points, for as many as Linear gives at once. */
const COUNT_PAGE_SIZE = 250;

/** A thousand open issues are told apart from more of them by nobody. */
const COUNT_PAGES_MAX = 4;

/** What a count and the names can cost together. */
export const SURVEY_MOST: Cost = {
  points: COUNT_PAGES_MAX * pointsFor(COUNT_PAGE_SIZE, POINTS_PER_NODE.openIssues) + VOCABULARY_POINTS,
  requests: COUNT_PAGES_MAX + 1,
};

/** How many issues of the project are in the active states. @throws TrackerError */
export async function countOpen(
  client: LinearClient,
  { projectSlug, activeStates }: TrackerSettings,
  signal: AbortSignal,
): Promise<OpenCount> {
  const what = "the count of open issues";
  let count = 0;
  let after: string | null = null;
  for (let page = 0; page < COUNT_PAGES_MAX; page += 1) {
    const variables: Readonly<Record<string, unknown>> = {
      projectSlugs: slugIdsOf(projectSlug),
      states: stateFilters(activeStates),
      first: COUNT_PAGE_SIZE,
      ...(after === null ? {} : { after }),
    };
    const data = await client.data({ what, document: documents.openIssues, variables }, signal);
    const { nodes, pageInfo } = read(what, shapes().idsPage, data).issues;
    count += nodes.length;
    after = pageInfo.endCursor ?? null;
    if (!pageInfo.hasNextPage || after === null) return { count, isAll: true };
  }
  return { count, isAll: false };
}

/** The project, the states of its teams, and the labels there are. @throws TrackerError */
export async function vocabulary(
  client: LinearClient,
  { projectSlug, requiredLabels }: TrackerSettings,
  signal: AbortSignal,
): Promise<Vocabulary> {
  const what = "the names of states and labels";
  const variables = {
    projectSlugs: slugIdsOf(projectSlug),
    teams: TEAMS_MAX,
    states: STATES_MAX,
    labels: LABELS_MAX,
    // Labels may be too many to list: those that matter are asked for by name.
    named: { or: requiredLabels.map((name) => ({ name: { eqIgnoreCase: name } })) },
  };
  const data = await client.data({ what, document: documents.vocabulary, variables }, signal);
  const { projects, issueLabels, named } = read(what, shapes().vocabulary, data);
  const [project] = projects.nodes;
  const labels = [...named.nodes, ...issueLabels.nodes].map(({ name }) => name);
  return {
    scope: project?.name ?? null,
    states: (project?.teams.nodes ?? []).map(({ key, states }) => ({
      of: `team ${key}`,
      names: states.nodes.map(({ name }) => name),
    })),
    labels: [...new Map(labels.map((name) => [stateKey(name), name])).values()],
    isAllLabels: issueLabels.pageInfo?.hasNextPage !== true,
  };
}
