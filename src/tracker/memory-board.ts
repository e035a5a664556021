/** The issues behind a MemoryTracker, and the edits that people make to them. Time is a count of edits. */
import { type Blocker, instant, type Instant, issueId, type IssueId, stateKey } from "../domain/domain.ts";

export interface MemoryIssue {
  readonly id: IssueId;
  readonly identifier: string;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly priority: number | null;
  /** A slug; null = in none. */
  readonly project: string | null;
  /** As written; trackers see them lower-cased. */
  readonly labels: readonly string[];
  /** A user id. */
  readonly assignee: string | null;
  readonly blockedBy: readonly IssueId[];
  readonly branchName: string | null;
  readonly url: string | null;
  readonly archived: boolean;
  readonly trashed: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface MemoryUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** 2026-01-01, so that dates in failed tests look like dates. */
const FIRST_INSTANT = 1_767_225_600_000;

export class MemoryBoard {
  /** Whose key it is: `assignee: me`. */
  readonly viewer: MemoryUser;
  /** Whose issues these are. */
  readonly organisation = "organisation-1";
  /** Names by slug. */
  readonly projects: ReadonlyMap<string, string>;
  /** Those that people can choose from. */
  readonly states: readonly string[];
  readonly #users: readonly MemoryUser[];
  readonly #issues = new Map<IssueId, MemoryIssue>();
  readonly #clock: () => Instant;
  #added = 0;
  #edits = 0;

  /** `clock`: where edits get their times; counts seconds from 2026-01-01 when absent. */
  constructor(
    options: {
      readonly users?: readonly MemoryUser[];
      readonly projects?: ReadonlyMap<string, string>;
      readonly states?: readonly string[];
      readonly clock?: () => Instant;
    } = {},
  ) {
    this.states = options.states ?? ["Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled"];
    this.projects = options.projects ?? new Map([["demo", "Demo"]]);
    const me = { id: "user-1", name: "Ada Byron", email: "ada@example.com" };
    this.#users = options.users ?? [me];
    this.viewer = this.#users[0] ?? me;
    this.#clock = options.clock ?? (() => instant(FIRST_INSTANT + this.#edits * 1000));
  }

  /** In the order in which they were added. */
  get issues(): readonly MemoryIssue[] {
    return [...this.#issues.values()];
  }

  /** A new issue; what is left out is a plain `Todo` of the project `demo`. */
  add(draft: Partial<MemoryIssue> = {}): MemoryIssue {
    const number = ++this.#added;
    const at = this.#tick();
    const issue: MemoryIssue = {
      id: issueId(`issue-${number}`),
      identifier: `MT-${number}`,
      title: `Issue ${number}`,
      description: null,
      state: "Todo",
      priority: null,
      project: "demo",
      labels: [],
      assignee: null,
      blockedBy: [],
      branchName: null,
      url: null,
      archived: false,
      trashed: false,
      createdAt: at,
      updatedAt: at,
      ...draft,
    };
    this.#issues.set(issue.id, issue);
    return issue;
  }

  /** @throws Error for an id that is not on the board: a mistake in the test. */
  edit(id: IssueId, change: Partial<MemoryIssue>): MemoryIssue {
    const issue = { ...this.get(id), updatedAt: this.#tick(), ...change };
    this.#issues.set(id, issue);
    return issue;
  }

  move(id: IssueId, state: string): void {
    this.edit(id, { state });
  }

  label(id: IssueId, name: string): void {
    this.edit(id, { labels: [...this.get(id).labels, name] });
  }

  unlabel(id: IssueId, name: string): void {
    this.edit(id, { labels: this.get(id).labels.filter((label) => stateKey(label) !== stateKey(name)) });
  }

  assign(id: IssueId, user: string | null): void {
    this.edit(id, { assignee: user });
  }

  block(id: IssueId, by: IssueId): void {
    this.edit(id, { blockedBy: [...this.get(id).blockedBy, by] });
  }

  /** Gone for good, as if the key could no longer see it. */
  remove(id: IssueId): void {
    this.#issues.delete(id);
  }

  get(id: IssueId): MemoryIssue {
    const issue = this.#issues.get(id);
    if (issue === undefined) throw new Error(`no issue ${id} on this board`);
    return issue;
  }

  blockersOf(issue: MemoryIssue): readonly Blocker[] {
    return issue.blockedBy.map((id) => {
      const blocker = this.#issues.get(id);
      return { id, identifier: blocker?.identifier ?? null, state: blocker?.state ?? null };
    });
  }

  /** The user id that `tracker.assignee` means here. */
  userId(assignee: string | null): string | null {
    if (assignee === null) return null;
    if (assignee === "me") return this.viewer.id;
    return this.#users.find((user) => user.email === assignee)?.id ?? assignee;
  }

  #tick(): Instant {
    this.#edits++;
    return this.#clock();
  }
}
