/**
 * The tracker port over Linear's GraphQL API. A poll costs one lean request per 50 issues; labels, blockers and texts are
 * only asked for the issues that somebody names by id.
 */
import type { AgentTool } from "../../agent/agent.ts";
import {
  type Instant,
  type Issue,
  type IssueId,
  type IssueStatus,
  type IssueSummary,
  type OpenCount,
  stateKey,
  type TrackerHome,
  type TrackerSettings,
} from "../../domain/domain.ts";
import {
  type Pacer,
  type ToolRun,
  type Tracker,
  TrackerError,
  type TrackerNews,
  type Vocabulary,
  type RecordList,
} from "../port.ts";
import { organisationOf, resolveAssignee, viewer } from "./assignee.ts";
import { type ClientOptions, LinearClient } from "./client.ts";
import { stateFilters } from "./candidates.ts";
import {
  documents,
  HYDRATE_BATCH_SIZE,
  SCAN_PAGE_SIZE,
  STATUS_BATCH_SIZE,
  SWEEP_PAGE_SIZE,
} from "./documents.ts";
import { byIds } from "./by-ids.ts";
import { type GraphqlAnswer, linearGraphqlTool } from "./graphql-tool.ts";
import { allLabels, allRelations } from "./lists.ts";
import { issueOf, type Owner, statusOf, summaryOf } from "./normalise.ts";
import { slugIdsOf } from "./project.ts";
import { read } from "./read.ts";
import { Budget, budgets } from "./budget.ts";
import { pointsFor, POINTS_PER_NODE } from "./points.ts";
import { rateGates } from "./rate-gate.ts";
import { scan, type Scanned } from "./scan.ts";
import { shapes } from "./shapes.ts";
import { countOpen, idOf, SURVEY_MOST, vocabulary } from "./survey.ts";
import { ownScans, type Scans, scansByProject } from "./shared-scans.ts";

export { complexityOf } from "./complexity.ts";

/** The first run waits for the answer; without it the ids and the address have to do. */
const ORGANISATION_MAX_MS = 10_000;

/** Linear itself refuses nothing then. */
const LOOKS_USED_UP =
  "what Baton keeps of Linear's hourly budget for looks at tickets that could start is used up for the moment";

type Variables = Readonly<Record<string, unknown>>;

/** `kind: linear`: all workflows with one key wait together for its limits, and those on one project share their scans. */
export function linearKind(clock: () => Instant): (settings: TrackerSettings, news: TrackerNews) => Tracker {
  const gateOf = rateGates(clock);
  const scansOf = scansByProject(clock);
  const budgetOf = budgets(clock);
  return (settings, news) =>
    createLinearTracker(settings, news, clock, {
      gate: gateOf(settings),
      budget: budgetOf(settings),
      scans: scansOf(settings).join(),
    });
}

/**
 * A tracker over Linear. Nothing is sent before the first call.
 * @throws TrackerError when endpoint, key or project are such that no request could ever work
 */
export function createLinearTracker(
  settings: TrackerSettings,
  news: TrackerNews,
  clock: () => Instant,
  { scans = ownScans(settings.projectSlug), ...options }: Partial<ClientOptions & Shares> = {},
): Tracker {
  if (settings.projectSlug.trim() === "") {
    throw new TrackerError("invalid_tracker_config", "tracker.project_slug is empty.", {
      hint: "Set it to the slug in the project's URL.",
    });
  }
  const budget = options.budget ?? new Budget(clock);
  const client = new LinearClient(settings, news, clock, { ...options, budget });
  return new LinearTracker(settings, news, client, { scans, budget });
}

interface Shares {
  /** How candidates are listed; without it, by itself alone. */
  readonly scans: Scans;
}

class LinearTracker implements Tracker {
  readonly #settings: TrackerSettings;
  readonly #news: TrackerNews;
  readonly #client: LinearClient;
  readonly #scans: Scans;
  readonly #budget: Budget;
  /** The same for all texts of a workflow that take the same issues. */
  readonly #name: string;
  readonly pacer: Pacer;
  #home: Promise<TrackerHome> | null = null;
  #assignee: { readonly id: string | null } | null = null;

  constructor(
    settings: TrackerSettings,
    news: TrackerNews,
    client: LinearClient,
    { scans, budget }: Shares & { readonly budget: Budget },
  ) {
    const { projectSlug, activeStates, requiredLabels, assignee } = settings;
    const name = JSON.stringify([projectSlug, activeStates, requiredLabels, assignee]);
    this.#settings = settings;
    this.#news = news;
    this.#client = client;
    this.#scans = scans;
    this.#budget = budget;
    this.#name = name;
    this.pacer = {
      pace: (wishedMs) => budget.pace(name, wishedMs),
      beginScan: (wishedMs) => budget.beginScan(name, wishedMs),
      beginRefresh: (issues) => budget.beginRefresh(name, pointsFor(issues, POINTS_PER_NODE.statuses)),
      mayLook: (issues, isAgain) => {
        const points = pointsFor(issues, POINTS_PER_NODE.issues);
        const cost = { points, requests: Math.ceil(issues / HYDRATE_BATCH_SIZE) };
        const until = isAgain ? budget.mayLookAgain(cost) : budget.mayAsk("hydration", cost);
        return until === null ? null : { until, why: LOOKS_USED_UP };
      },
      maySurvey: () => budget.mayAsk("survey", SURVEY_MOST) === null,
    };
  }

  async candidates(signal: AbortSignal): Promise<readonly IssueSummary[]> {
    const { activeStates: states, requiredLabels: labels } = this.#settings;
    // A blank label matches no issue (SPEC 5.3.1), and Linear might take it for none.
    if (states.length === 0 || labels.some((label) => stateKey(label) === "")) return [];
    const scope = { states, labels, assignee: await this.#assigneeId(signal) };
    const listed = this.#told("candidates", await this.#scans.list(this.#client, scope, signal));
    // As if it had scanned for itself: where it shared a scan, that cost less.
    const requests = Math.max(1, Math.ceil(listed.length / SCAN_PAGE_SIZE));
    this.#budget.endScan(this.#name, {
      points: requests * pointsFor(SCAN_PAGE_SIZE, POINTS_PER_NODE.candidates),
      requests,
    });
    return listed;
  }

  async inStates(states: readonly string[], signal: AbortSignal): Promise<readonly IssueSummary[]> {
    if (states.length === 0) return [];
    const what = "the sweep of finished issues";
    const assignee = await this.#assigneeId(signal);
    const projectSlugs = slugIdsOf(this.#settings.projectSlug);
    const variables = { projectSlugs, states: stateFilters(states) };
    const from = {
      what,
      document: documents.inStates,
      variables,
      shape: () => shapes().lean,
      first: SWEEP_PAGE_SIZE,
    };
    return this.#told(
      "finished",
      await scan(this.#client, from, (record) => summaryOf(record, assignee), signal),
    );
  }

  async statuses(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly IssueStatus[]> {
    if (ids.length === 0) return [];
    const owner = await this.#owner(signal);
    const what = "the refresh of issue states";
    const from = {
      what,
      document: documents.statuses,
      shape: () => shapes().status,
      batchSize: STATUS_BATCH_SIZE,
    };
    const records = await byIds(this.#client, from, ids, signal);
    const statuses: IssueStatus[] = [];
    for (const record of records) {
      statuses.push(statusOf(record, await allLabels(this.#client, record, signal), owner));
    }
    return statuses;
  }

  async issues(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly Issue[]> {
    if (ids.length === 0) return [];
    const owner = await this.#owner(signal);
    const what = "the reading of whole issues";
    const from = {
      what,
      document: documents.issues,
      shape: () => shapes().issue,
      batchSize: HYDRATE_BATCH_SIZE,
    };
    const records = await byIds(this.#client, from, ids, signal);
    const issues: Issue[] = [];
    for (const record of records) {
      const labels = await allLabels(this.#client, record, signal);
      const relations = await allRelations(this.#client, record, signal);
      issues.push(issueOf(record, { labels, relations }, owner));
    }
    return issues;
  }

  /** Records that cannot be read are told and left out (SPEC 11.1). */
  #told(list: RecordList, { issues, rejected }: Scanned<IssueSummary>): readonly IssueSummary[] {
    this.#news.rejected(rejected, list);
    return issues;
  }

  async whoAmI(signal: AbortSignal): Promise<string> {
    return (await viewer(this.#client, signal)).name;
  }

  async scopeName(signal: AbortSignal): Promise<string> {
    const what = "the project";
    const variables = { slugs: slugIdsOf(this.#settings.projectSlug) };
    const data = await this.#client.data({ what, document: documents.project, variables }, signal);
    const [project] = read(what, shapes().projects, data).projects.nodes;
    if (project !== undefined) return project.name;
    throw new TrackerError(
      "invalid_tracker_config",
      `There is no project "${this.#settings.projectSlug}", or this key may not see it.`,
      { hint: "Set tracker.project_slug to the last part of the project's URL." },
    );
  }

  home(): Promise<TrackerHome> {
    const { kind, endpoint } = this.#settings;
    const signal = AbortSignal.timeout(ORGANISATION_MAX_MS);
    return (this.#home ??= organisationOf(this.#client, signal).then(
      (organisation) => ({ kind, endpoint, organisation }),
      () => ({ kind, endpoint, organisation: null }),
    ));
  }

  async find(name: string, signal: AbortSignal): Promise<Issue | null> {
    const id = await idOf(this.#client, name, signal);
    if (id === null) return null;
    const [issue] = await this.issues([id], signal);
    return issue ?? null;
  }

  countOpen(signal: AbortSignal): Promise<OpenCount> {
    return countOpen(this.#client, this.#settings, signal);
  }

  vocabulary(signal: AbortSignal): Promise<Vocabulary> {
    return vocabulary(this.#client, this.#settings, signal);
  }

  tools(run: ToolRun): readonly AgentTool[] {
    return [linearGraphqlTool((...asked) => this.#graphql(...asked), run)];
  }

  async #graphql(
    document: string,
    variables: Variables,
    signal: AbortSignal,
    agentPoints = 0,
  ): Promise<GraphqlAnswer> {
    const answer = await this.#client.answer(
      { what: "a query of the agent", document, variables, agentPoints },
      signal,
    );
    return {
      ...(answer.data === undefined ? {} : { data: answer.data }),
      ...(answer.errors.length > 0 ? { errors: answer.errors } : {}),
    };
  }

  async #owner(signal: AbortSignal): Promise<Owner> {
    return { assignee: await this.#assigneeId(signal), projectSlug: this.#settings.projectSlug };
  }

  // Asked once per tracker: who owns a key does not change, and settings that do make a new tracker.
  async #assigneeId(signal: AbortSignal): Promise<string | null> {
    this.#assignee ??= { id: await resolveAssignee(this.#settings.assignee, this.#client, signal) };
    return this.#assignee.id;
  }
}
