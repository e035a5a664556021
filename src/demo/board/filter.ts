/** Linear's filters over the board's records: `and`, `or`, `null`, comparators, and filters of related records. */
import { isFields, type Fields } from "../../domain/domain.ts";
import type {
  BoardComment,
  BoardIssue,
  BoardLabel,
  BoardProject,
  BoardState,
  BoardTeam,
  BoardUser,
} from "./entities.ts";
import type { BoardStore } from "./store.ts";

export type Filter = Fields;
type Scalar = string | number | boolean | null;

/** For each key that a filter may have besides the general ones: does the record pass this condition? */
type Tests<T> = Readonly<Record<string, (record: T, condition: Filter) => boolean>>;

function passes<T>(filter: Filter, record: T | null, tests: Tests<T>): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (condition === null || condition === undefined) return true;
    if (key === "and") return filtersOf(condition).every((part) => passes(part, record, tests));
    if (key === "or") return filtersOf(condition).some((part) => passes(part, record, tests));
    if (key === "null") return (record === null) === condition;
    return record !== null && isFields(condition) && tests[key]?.(record, condition) === true;
  });
}

const filtersOf = (list: unknown): readonly Filter[] => (Array.isArray(list) ? list.filter(isFields) : []);

const lower = (value: unknown): string => String(value).toLowerCase();
const has = (list: unknown, value: Scalar): boolean => Array.isArray(list) && list.includes(value);

/** Numbers by size, texts (and points in time, which are texts here) by their characters; anything else has no order. */
function ordered(is: (value: string | number, wanted: string | number) => boolean) {
  return (value: Scalar, wanted: unknown): boolean => {
    if (typeof value === "number" && typeof wanted === "number") return is(value, wanted);
    return typeof value === "string" && typeof wanted === "string" && is(value, wanted);
  };
}

const comparisons: Readonly<Record<string, (value: Scalar, wanted: unknown) => boolean>> = {
  eq: (value, wanted) => value === wanted,
  neq: (value, wanted) => value !== wanted,
  in: (value, wanted) => has(wanted, value),
  nin: (value, wanted) => !has(wanted, value),
  null: (value, wanted) => (value === null) === wanted,
  gt: ordered((value, wanted) => value > wanted),
  gte: ordered((value, wanted) => value >= wanted),
  lt: ordered((value, wanted) => value < wanted),
  lte: ordered((value, wanted) => value <= wanted),
  eqIgnoreCase: (value, wanted) => lower(value) === lower(wanted),
  neqIgnoreCase: (value, wanted) => lower(value) !== lower(wanted),
  contains: (value, wanted) => String(value).includes(String(wanted)),
  notContains: (value, wanted) => !String(value).includes(String(wanted)),
  containsIgnoreCase: (value, wanted) => lower(value).includes(lower(wanted)),
  startsWith: (value, wanted) => String(value).startsWith(String(wanted)),
  startsWithIgnoreCase: (value, wanted) => lower(value).startsWith(lower(wanted)),
  endsWith: (value, wanted) => String(value).endsWith(String(wanted)),
};

const compare = (value: Scalar, condition: Filter): boolean =>
  Object.entries(condition).every(
    ([name, wanted]) => wanted === undefined || comparisons[name]?.(value, wanted) === true,
  );

const field =
  <T>(get: (record: T) => Scalar) =>
  (record: T, condition: Filter): boolean =>
    compare(get(record), condition);

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const named: Tests<{ readonly id: string; readonly name: string }> = {
  id: field((record) => record.id),
  name: field((record) => record.name),
};
const teamTests: Tests<BoardTeam> = { ...named, key: field((team) => team.key) };
const projectTests: Tests<BoardProject> = { ...named, slugId: field((project) => project.slugId) };

export class Filters {
  readonly #store: BoardStore;
  readonly #issue: Tests<BoardIssue>;

  constructor(store: BoardStore) {
    this.#store = store;
    this.#issue = this.#issueTests(store);
  }

  readonly issue = (filter: Filter, issue: BoardIssue | null): boolean => passes(filter, issue, this.#issue);
  readonly label = (filter: Filter, label: BoardLabel): boolean => passes(filter, label, named);
  readonly team = (filter: Filter, team: BoardTeam): boolean => passes(filter, team, teamTests);
  readonly project = (filter: Filter, project: BoardProject | null): boolean =>
    passes(filter, project, projectTests);

  readonly state = (filter: Filter, state: BoardState): boolean =>
    passes(filter, state, {
      ...named,
      type: field((one: BoardState) => one.type),
      team: (_, condition) => this.team(condition, this.#store.team),
    });

  readonly user = (filter: Filter, user: BoardUser | null): boolean =>
    passes(filter, user, {
      ...named,
      email: field((one: BoardUser) => one.email),
      displayName: field((one: BoardUser) => one.displayName),
      isMe: field((one: BoardUser) => one.id === this.#store.viewer.id),
      active: field(() => true),
    });

  readonly comment = (filter: Filter, comment: BoardComment): boolean =>
    passes(filter, comment, {
      id: field((one: BoardComment) => one.id),
      body: field((one) => one.body),
      createdAt: field((one) => iso(one.createdAt)),
      issue: (one, condition) => this.issue(condition, this.#store.issues.get(one.issueId) ?? null),
      user: (one, condition) => this.user(condition, this.#userOf(one.userId)),
    });

  #issueTests(store: BoardStore): Tests<BoardIssue> {
    return {
      id: field((issue) => issue.id),
      number: field((issue) => issue.number),
      title: field((issue) => issue.title),
      description: field((issue) => issue.description),
      priority: field((issue) => issue.priority),
      createdAt: field((issue) => iso(issue.createdAt)),
      updatedAt: field((issue) => iso(issue.updatedAt)),
      archivedAt: field((issue) => iso(issue.archivedAt)),
      state: (issue, condition) => this.state(condition, store.state(issue.stateId)),
      team: (_, condition) => this.team(condition, store.team),
      project: (issue, condition) =>
        this.project(condition, store.projects.find((project) => project.id === issue.projectId) ?? null),
      assignee: (issue, condition) => this.user(condition, this.#userOf(issue.assigneeId)),
      creator: (issue, condition) => this.user(condition, this.#userOf(issue.creatorId)),
      parent: (issue, condition) => this.issue(condition, store.issues.get(issue.parentId ?? "") ?? null),
      labels: (issue, condition) => this.#labels(issue, condition),
    };
  }

  // A collection's own comparators ask whether any member passes, as `some` does.
  #labels(issue: BoardIssue, condition: Filter): boolean {
    const labels = issue.labelIds.flatMap((id) => this.#store.labels.get(id) ?? []);
    const some = (filter: Filter): boolean => labels.some((label) => this.label(filter, label));
    return passes(condition, labels, {
      some: (_, filter) => some(filter),
      every: (_, filter) => labels.every((label) => this.label(filter, label)),
      length: (_, filter) => compare(labels.length, filter),
      id: (_, filter) => some({ id: filter }),
      name: (_, filter) => some({ name: filter }),
    });
  }

  #userOf(id: string | null): BoardUser | null {
    return this.#store.users.find((user) => user.id === id) ?? null;
  }
}
