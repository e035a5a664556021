/**
 * The tracker's truth: tickets as they are and as they were a while ago, and who changed them. People and agents change
 * it; the daemon only sees what the simulated tracker answers.
 */
import { issueId, stateKey, type IssueId, type IssueSummary } from "../../src/domain/issue.ts";
import type { Instant } from "../../src/domain/time.ts";
import { unroutable } from "../../src/scheduler/eligible.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import { shownUnder, type Placed } from "./projects.ts";
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** How long the board remembers what it was: the oldest answer that a tracker gives. */
export const STALE_MAX_MS = 10 * 60_000;

/** What working on a ticket is like; the agents know, the daemon does not. */
export interface Nature {
  /** Runs never end well. */
  readonly hopeless: boolean;
  /** Runs end well and change nothing. */
  readonly pointless: boolean;
  /** Uses up tokens like nothing else. */
  readonly hungry: boolean;
  /** Turns that the work takes. */
  readonly turns: number;
}

interface Ticket {
  readonly nature: Nature;
  turnsDone: number;
  /** What it was, oldest first; null = not there (any more). */
  readonly was: { readonly at: Instant; readonly issue: Placed | null }[];
  /** When a person last did what lifts a park: moved it, took a label off, put it elsewhere, deleted it. */
  handledAt: Instant | null;
}

export type By = "person" | "agent";

export class Board {
  readonly #timeline: Timeline;
  readonly #tickets = new Map<IssueId, Ticket>();
  #made = 0;
  /** Called with each change: to which ticket, by whom, and what they do. */
  onChange: (issue: Placed, by: By, does: string) => void = () => {};

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get size(): number {
    return this.#tickets.size;
  }

  ids(): readonly IssueId[] {
    return [...this.#tickets.keys()];
  }

  /** As it is now; null when it is not there. */
  issue(id: IssueId): Placed | null {
    return this.#tickets.get(id)?.was.at(-1)?.issue ?? null;
  }

  nature(id: IssueId): Nature | null {
    return this.#tickets.get(id)?.nature ?? null;
  }

  handledAt(id: IssueId): Instant | null {
    return this.#tickets.get(id)?.handledAt ?? null;
  }

  /** All that is there, as it was so many milliseconds ago. */
  issues(agoMs = 0): readonly Placed[] {
    const at = this.#timeline.true - agoMs;
    return [...this.#tickets.values()].flatMap(({ was }) => {
      const then = agoMs === 0 ? was.at(-1) : was.findLast((one) => one.at <= at);
      return then === undefined || then.issue === null ? [] : [then.issue];
    });
  }

  /** What a scan of this workflow's scope finds. */
  candidates(policy: Policy, agoMs: number): readonly IssueSummary[] {
    return this.issues(agoMs)
      .map((issue) => shownUnder(issue, policy))
      .filter((issue) => unroutable(issue, policy) === null);
  }

  create(random: Random, labels: readonly string[], nature: Nature): IssueId {
    this.#made += 1;
    const id = issueId(`i${this.#made}`);
    const now = this.#timeline.true;
    const blocker = random.chance(0.1) ? random.pick(this.issues()) : undefined;
    const issue: Placed = {
      project: "Home",
      trashed: false,
      id,
      identifier: `T-${this.#made}`,
      title: `Ticket ${this.#made}`,
      state: "Todo",
      priority: random.chance(0.5) ? random.between(1, 4) : null,
      createdAt: now,
      updatedAt: now,
      dispatchable: true,
      labels,
      nativeRef: null,
      assigneeId: null,
      description: null,
      branchName: null,
      url: null,
      blockedBy: blocker === undefined ? [] : [blocker],
    };
    this.#tickets.set(id, { nature, turnsDone: 0, was: [{ at: now, issue }], handledAt: null });
    this.onChange(issue, "person", `writes it, with the label ${labels.join(" and ")}`);
    return id;
  }

  /** Changes a ticket. `by` a person: whether it lifts a park is seen from the change. */
  change(id: IssueId, by: By, change: Partial<Placed> | null, does: string): void {
    const ticket = this.#tickets.get(id);
    const before = this.issue(id);
    if (ticket === undefined || before === null) return;
    const now = this.#timeline.true;
    const issue = change === null ? null : { ...before, ...change, updatedAt: now };
    ticket.was.push({ at: now, issue });
    while (ticket.was.length > 1 && (ticket.was[1]?.at ?? now) < now - STALE_MAX_MS) ticket.was.shift();
    if (by === "person" && liftsParks(before, issue)) ticket.handledAt = now;
    if (issue !== null && stateKey(issue.state) !== stateKey(before.state)) this.#tellBlocked(issue);
    this.onChange(before, by, does);
  }

  /** A turn was well spent; true when nothing is left to do. */
  worked(id: IssueId): boolean {
    const ticket = this.#tickets.get(id);
    if (ticket === undefined) return false;
    ticket.turnsDone += 1;
    return ticket.turnsDone >= ticket.nature.turns;
  }

  /** Forgets a ticket that has been gone or done for long. */
  forget(id: IssueId): void {
    this.#tickets.delete(id);
  }

  /** Whom it blocks sees its new state: blockers come with every issue. */
  #tellBlocked(blocker: Placed): void {
    for (const ticket of this.#tickets.values()) {
      const issue = ticket.was.at(-1)?.issue;
      if (issue?.blockedBy.some((one) => one.id === blocker.id) !== true) continue;
      const { id, identifier, state } = blocker;
      ticket.was.push({
        at: this.#timeline.true,
        issue: { ...issue, blockedBy: [{ id, identifier, state }] },
      });
    }
  }
}

const liftsParks = (before: Placed, now: Placed | null): boolean =>
  now === null ||
  before.project !== now.project ||
  (now.trashed && !before.trashed) ||
  (before.dispatchable && !now.dispatchable) ||
  stateKey(now.state) !== stateKey(before.state) ||
  before.labels.some((label) => !now.labels.includes(label));
