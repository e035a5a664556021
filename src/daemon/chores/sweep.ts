/**
 * Workspaces left by issues that ended while nobody looked (SPEC 8.6), and what has been kept for long enough. The list of
 * finished issues shows most of them. What it cannot show (issues in the trash or the archive, of another project by now,
 * under another name) is asked for by the ids that are recorded beside the directories.
 */
import {
  DAY_MS,
  type Fact,
  type Instant,
  type IssueId,
  issueId,
  type IssueSummary,
  stateKey,
  type TrackerHome,
  type Workflow,
  type WorkflowName,
} from "../../domain/domain.ts";
import { join } from "node:path";
import {
  isSameTracker,
  olderWorkspaceKey,
  type Owner,
  workspaceKey,
  type Workspaces,
} from "../../workspace/workspace.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import type { Clock } from "../clock.ts";
import type { News } from "../../scheduler/scheduler.ts";
import type { Roots } from "../roots.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import { type Chore, troubleOf } from "./chore.ts";

export interface SweepParts {
  readonly workflows: Pick<Workflows, "current" | "all">;
  readonly trackerFor: TrackerFor;
  readonly workspaces: Pick<Workspaces, "existing" | "owners" | "adopt" | "isElsewhere">;
  readonly roots: Roots;
  /** Whether nobody has a claim on the issue. */
  readonly mayRemove: (issue: IssueId) => boolean;
  /** Removes what has been kept for long enough. */
  readonly tidy: () => Promise<void>;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
}

/** Asked for by id in one sweep, in two requests; the others have their turn with the next. */
const ASKED_MAX = 100;

/** A key may lose sight of a team for a while: only what nobody has seen for so long is gone for good. */
const GONE_AFTER_MS = DAY_MS;

type Leftover = Pick<IssueSummary, "id" | "identifier">;

/** A directory under one of the roots; null = nobody knows whose it is. */
interface Found {
  readonly key: string;
  readonly isCurrentRoot: boolean;
  readonly owner: Owner | null;
}

export class Sweeps {
  readonly #parts: SweepParts;
  /** How many were asked for by id so far: the next ones have their turn. */
  readonly #asked = new Map<WorkflowName, number>();
  /** Whose last one did not work. */
  readonly #failed = new Set<WorkflowName>();
  /** Since when the tracker has not shown them. */
  readonly #missing = new Map<IssueId, Instant>();

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /** Never rejects: a sweep that failed is said, and done again with the next. */
  async sweep({ workflow, scope }: Chore<"sweep">, signal: AbortSignal): Promise<void> {
    const { workflows, tidy, clock, publish, dispatch } = this.#parts;
    const warning = { type: "warning", topic: "sweep", workflow } as const;
    try {
      await tidy();
      const issues = await this.#leftovers(workflows.current(workflow), signal);
      if (issues.length > 0) dispatch({ type: "leftovers_found", workflow, scope, issues });
      const message = "The sweep for workspaces of finished issues works again.";
      if (this.#failed.delete(workflow)) publish({ ...warning, over: true, message, at: clock.now() });
    } catch (error) {
      this.#failed.add(workflow);
      const message = `The sweep for workspaces of finished issues did not work; it is repeated in an hour. ${troubleOf(error).error}`;
      publish({ ...warning, message, at: clock.now() });
    }
  }

  /** Issues that are over and have a workspace. @throws TrackerError */
  async #leftovers(current: Workflow, signal: AbortSignal): Promise<readonly Leftover[]> {
    const tracker = this.#parts.trackerFor(current);
    const home = await tracker.home();
    const found = await this.#found(current, home);
    if (found.length === 0) return [];
    const done = await tracker.inStates(current.settings.tracker.terminalStates, signal);
    const listed = done.filter((issue) => found.some((one) => isOf(one, issue, home)));
    const known = new Set(listed.map(({ id }) => id));
    const others = this.#ownersOf(current, home, found).filter((owner) => !known.has(issueId(owner.issueId)));
    return [...listed, ...(await this.#over(current, tracker, others, signal))];
  }

  /** In the root in force and in those that earlier runs had; an old one that cannot be read is left alone. */
  async #found(current: Workflow, home: TrackerHome): Promise<readonly Found[]> {
    const { workspace } = current.settings;
    const now = await this.#in(current, home, workspace.root);
    const earlier: Found[] = [];
    for (const root of this.#parts.roots.all())
      if (root !== workspace.root)
        earlier.push(...(await this.#in(current, home, root).catch((): readonly Found[] => [])));
    return [...now, ...earlier];
  }

  async #in({ settings }: Workflow, tracker: TrackerHome, root: string): Promise<readonly Found[]> {
    const { workspaces, roots } = this.#parts;
    const place = { ...settings.workspace, root };
    const keys = await workspaces.existing(place);
    const recorded = keys.length === 0 ? new Map<string, Owner>() : await workspaces.owners(place);
    const found: Found[] = [];
    for (const key of keys) {
      const record = recorded.get(key);
      // The daemon that works there sweeps it.
      if (record !== undefined && workspaces.isElsewhere(record)) continue;
      const past = record !== undefined ? null : roots.whose(join(root, key));
      // Made by an earlier release, which wrote no records: the ledger knows whose it is.
      const owner = past?.workflow === settings.name ? { tracker, ...past } : null;
      if (owner !== null) await workspaces.adopt(place, key, owner);
      found.push({ key, isCurrentRoot: root === settings.workspace.root, owner: record ?? owner });
    }
    return found;
  }

  /** Issues of this workflow that nobody works on; those of workflows that are no longer run are everybody's. */
  #ownersOf({ settings: { name } }: Workflow, home: TrackerHome, found: readonly Found[]): readonly Owner[] {
    const names = new Set<string>(this.#parts.workflows.all().map(({ settings }) => settings.name));
    const byId = new Map<string, Owner>();
    for (const { owner } of found)
      if (
        owner !== null &&
        isSameTracker(owner.tracker, home) &&
        (owner.workflow === name || !names.has(owner.workflow)) &&
        this.#parts.mayRemove(issueId(owner.issueId))
      )
        byId.set(owner.issueId, owner);
    return [...byId.values()];
  }

  /** Those of them that are over: finished, put away, or not seen for long. */
  async #over(
    { settings: { name, tracker: scope } }: Workflow,
    tracker: Tracker,
    owners: readonly Owner[],
    signal: AbortSignal,
  ): Promise<readonly Leftover[]> {
    if (owners.length === 0) return [];
    const first = (this.#asked.get(name) ?? 0) % owners.length;
    const asked = [...owners.slice(first), ...owners.slice(0, first)].slice(0, ASKED_MAX);
    this.#asked.set(name, first + asked.length);
    const statuses = await tracker.statuses(
      asked.map((owner) => issueId(owner.issueId)),
      signal,
    );
    const terminal = new Set(scope.terminalStates.map(stateKey));
    const over = statuses.filter(({ state, putAway }) => terminal.has(stateKey(state)) || putAway === true);
    return [...over, ...this.#gone(asked, new Set(statuses.map(({ id }) => id)))];
  }

  #gone(asked: readonly Owner[], seen: ReadonlySet<IssueId>): readonly Leftover[] {
    const now = this.#parts.clock.now();
    return asked.flatMap(({ issueId: text, identifier }) => {
      const id = issueId(text);
      if (seen.has(id)) {
        this.#missing.delete(id);
        return [];
      }
      const since = this.#missing.get(id) ?? now;
      this.#missing.set(id, since);
      return now - since >= GONE_AFTER_MS ? [{ id, identifier }] : [];
    });
  }
}

/** By what is recorded; where nothing is, by its name, and only under the root in force. */
function isOf(
  { key, isCurrentRoot, owner }: Found,
  { id, identifier }: IssueSummary,
  home: TrackerHome,
): boolean {
  if (owner !== null) return owner.issueId === id && isSameTracker(owner.tracker, home);
  return isCurrentRoot && (key === workspaceKey(identifier) || key === olderWorkspaceKey(identifier));
}
