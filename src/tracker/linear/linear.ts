/**
 * The tracker port over Linear's GraphQL API. A poll costs one lean request per 50 issues; labels, blockers and texts are
 * only asked for the issues that somebody names by id.
 */
import type { Issue, IssueId, IssueStatus, IssueSummary } from "../../domain/issue.ts";
import type { TrackerSettings } from "../../domain/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { TrackerError, type GraphqlAnswer, type Tracker, type TrackerNews } from "../port.ts";
import { resolveAssignee, viewer } from "./assignee.ts";
import { LinearClient, type ClientOptions } from "./client.ts";
import { documents, hydrateBatchSize, scanPageSize, statusBatchSize, sweepPageSize } from "./documents.ts";
import { byIds } from "./by-ids.ts";
import { allLabels, allRelations } from "./lists.ts";
import { issueOf, statusOf, summaryOf } from "./normalise.ts";
import { allPages, scanLimits } from "./pages.ts";
import { read } from "./read.ts";
import { issueShape, scanPageShape, leanShape, nameOf, problemOf, statusShape } from "./shapes.ts";

/** Unreadable records told one by one per scan: a server that has changed its form would otherwise fill the log. */
const rejectedTold = 10;

type Variables = Readonly<Record<string, unknown>>;

/**
 * A tracker over Linear. Nothing is sent before the first call.
 * @throws TrackerError when endpoint, key or project are such that no request could ever work
 */
export function createLinearTracker(
  settings: TrackerSettings,
  news: TrackerNews,
  clock: () => Instant,
  options: Partial<ClientOptions> = {},
): Tracker {
  if (settings.projectSlug.trim() === "") {
    throw new TrackerError("missing_tracker_project_slug", "tracker.project_slug is empty.");
  }
  return new LinearTracker(settings, news, new LinearClient(settings, news, clock, options));
}

class LinearTracker implements Tracker {
  readonly #settings: TrackerSettings;
  readonly #news: TrackerNews;
  readonly #client: LinearClient;
  #assignee: { readonly id: string | null } | null = null;

  constructor(settings: TrackerSettings, news: TrackerNews, client: LinearClient) {
    this.#settings = settings;
    this.#news = news;
    this.#client = client;
  }

  async candidates(signal: AbortSignal): Promise<readonly IssueSummary[]> {
    const { projectSlug, activeStates, requiredLabels } = this.#settings;
    if (activeStates.length === 0) return [];
    const assignee = await this.#assigneeId(signal);
    const labels = requiredLabels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } }));
    return this.#scan("the scan for candidates", signal, documents.candidates, {
      projectSlug,
      states: stateFilters(activeStates),
      ...(labels.length > 0 ? { labels } : {}),
      ...(assignee === null ? {} : { assignee: { id: { eq: assignee } } }),
      first: scanPageSize,
    });
  }

  async inStates(states: readonly string[], signal: AbortSignal): Promise<readonly IssueSummary[]> {
    if (states.length === 0) return [];
    return this.#scan("the sweep of finished issues", signal, documents.inStates, {
      projectSlug: this.#settings.projectSlug,
      states: stateFilters(states),
      first: sweepPageSize,
    });
  }

  async statuses(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly IssueStatus[]> {
    if (ids.length === 0) return [];
    const assignee = await this.#assigneeId(signal);
    const what = "the refresh of issue states";
    const from = { what, document: documents.statuses, shape: statusShape, batchSize: statusBatchSize };
    const records = await byIds(this.#client, from, ids, signal);
    const statuses: IssueStatus[] = [];
    for (const record of records) {
      statuses.push(statusOf(record, await allLabels(this.#client, record, signal), assignee));
    }
    return statuses;
  }

  async issues(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly Issue[]> {
    if (ids.length === 0) return [];
    const assignee = await this.#assigneeId(signal);
    const what = "the reading of whole issues";
    const from = { what, document: documents.issues, shape: issueShape, batchSize: hydrateBatchSize };
    const records = await byIds(this.#client, from, ids, signal);
    const issues: Issue[] = [];
    for (const record of records) {
      const labels = await allLabels(this.#client, record, signal);
      const relations = await allRelations(this.#client, record, signal);
      issues.push(issueOf(record, { labels, relations }, assignee));
    }
    return issues;
  }

  async whoAmI(signal: AbortSignal): Promise<string> {
    return (await viewer(this.#client, signal)).name;
  }

  async graphql(document: string, variables: Variables, signal: AbortSignal): Promise<GraphqlAnswer> {
    const answer = await this.#client.answer({ what: "a query of the agent", document, variables }, signal);
    return {
      ...(answer.data === undefined ? {} : { data: answer.data }),
      ...(answer.errors.length > 0 ? { errors: answer.errors } : {}),
    };
  }

  /** Every page, each issue once; records that cannot be read are told and left out (SPEC 11.1). */
  async #scan(
    what: string,
    signal: AbortSignal,
    document: string,
    variables: Variables & { readonly first: number },
  ): Promise<readonly IssueSummary[]> {
    const assignee = await this.#assigneeId(signal);
    const rejected = new Rejected();
    const { first } = variables;
    // Looked at page by page: of a record only what is needed of it is kept until the last page is there.
    const issues = await allPages(what, scanLimits, async (after) => {
      const asked = after === null ? variables : { ...variables, after };
      const data = await this.#client.data({ what, document, variables: asked }, signal);
      const { nodes, pageInfo } = read(what, scanPageShape, data).issues;
      const readable = nodes.flatMap((node) => {
        const record = leanShape.safeParse(node);
        if (record.success) return [summaryOf(record.data, assignee)];
        rejected.add(() => `${nameOf(node)}: ${problemOf(record.error)}`);
        return [];
      });
      return { nodes: readable, pageInfo, asked: first };
    });
    rejected.tell(what, (words) => this.#news.rejected(words));
    const found = new Map<string, IssueSummary>();
    for (const issue of issues) if (!found.has(issue.id)) found.set(issue.id, issue);
    return [...found.values()];
  }

  // Asked once per tracker: who owns a key does not change, and settings that do make a new tracker.
  async #assigneeId(signal: AbortSignal): Promise<string | null> {
    this.#assignee ??= { id: await resolveAssignee(this.#settings.assignee, this.#client, signal) };
    return this.#assignee.id;
  }
}

/** What was left out of a list. */
class Rejected {
  readonly #first: string[] = [];
  #more = 0;

  add(words: () => string): void {
    if (this.#first.length < rejectedTold) this.#first.push(words());
    else this.#more++;
  }

  tell(what: string, news: (words: string) => void): void {
    for (const words of this.#first) news(`Left out of ${what}, because it cannot be read: ${words}.`);
    if (this.#more > 0) news(`Left out of ${what}, because they cannot be read: ${this.#more} more issues.`);
  }
}

const stateFilters = (states: readonly string[]): readonly unknown[] =>
  states.map((name) => ({ name: { eqIgnoreCase: name.trim() } }));
