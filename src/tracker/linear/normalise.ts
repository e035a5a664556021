/** From Linear's records to the domain's (SPEC 4.1.1, 11.3). Pure; what cannot be read is said, never guessed. */
import {
  type Blocker,
  instant,
  type Instant,
  type Issue,
  issueId,
  type IssueStatus,
  type IssueSummary,
  stateKey,
} from "../../domain/domain.ts";
import { dispatchability, labelsOf } from "../dispatchable.ts";
import { isSameProject } from "./project.ts";
import type { IssueRecord, LabelNode, Lean, RelationNode, StatusRecord } from "./shapes.ts";

/** Whose issues they are that may be worked on. */
export interface Owner {
  /** The user id that issues must be assigned to; null = anybody or nobody. */
  readonly assignee: string | null;
  readonly projectSlug: string;
}

/** Linear takes 255 characters; a longer title would only fill logs and tables. */
const TITLE_MAX = 500;

/** Twice what a prompt may have (a character is one or two of these): a longer description is refused there anyway. */
const DESCRIPTION_MAX = 2.2 * 1024 * 1024;

/** Git and browsers take no more. */
const BRANCH_MAX = 1000;
const URL_MAX = 4096;

/** Of a list of the project's own issues. `assignee`: the user id that they must be assigned to; null = anybody or nobody. */
export function summaryOf(record: Lean, assignee: string | null): IssueSummary {
  return { ...plain(record), ...dispatchability(circumstances(record, assignee)) };
}

function plain(record: Lean): Omit<IssueSummary, "dispatchable"> {
  return {
    id: issueId(record.id),
    identifier: record.identifier.trim(),
    title: titleOf(record.title),
    state: record.state.name,
    priority: priorityOf(record.priority),
    createdAt: instantOf(record.createdAt),
    updatedAt: instantOf(record.updatedAt),
  };
}

const circumstances = (record: Lean, assignee: string | null) => ({
  trashed: record.trashed === true,
  archived: (record.archivedAt ?? null) !== null,
  assignee: record.assignee?.id ?? null,
  wanted: assignee,
});

export function statusOf(
  record: StatusRecord,
  labels: readonly LabelNode[],
  { assignee, projectSlug }: Owner,
): IssueStatus {
  const slug = record.project?.slugId ?? null;
  const project = { name: slug, isOurs: slug !== null && isSameProject(slug, projectSlug) };
  const names = labelsOf(labels.map((label) => label.name.toWellFormed()));
  const may = dispatchability({ ...circumstances(record, assignee), project });
  return { ...plain(record), ...may, labels: names };
}

export function issueOf(
  record: IssueRecord,
  lists: { readonly labels: readonly LabelNode[]; readonly relations: readonly RelationNode[] },
  owner: Owner,
): Issue {
  return {
    ...statusOf(record, lists.labels, owner),
    nativeRef: {
      id: record.id,
      team_id: record.team?.id ?? null,
      project_id: record.project?.id ?? null,
      state_id: record.state.id ?? null,
    },
    assigneeId: record.assignee?.id ?? null,
    description: textOf(record.description, DESCRIPTION_MAX),
    branchName: branchOf(record.branchName),
    url: urlOf(record.url),
    blockedBy: lists.relations.filter(isBlocking).map(blockerOf),
  };
}

// An inverse relation of this type says: the other issue blocks this one.
const isBlocking = (relation: RelationNode): boolean => stateKey(relation.type) === "blocks";

const blockerOf = ({ issue }: RelationNode): Blocker => ({
  id: issue?.id ?? null,
  identifier: issue?.identifier ?? null,
  state: issue?.state?.name ?? null,
});

const titleOf = (title: string): string => {
  const line = title
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  return line.length > TITLE_MAX ? `${cut(line, TITLE_MAX - 1).toWellFormed()}…` : line;
};

// Linear's 0 means "no priority"; fractions are not priorities (SPEC 11.3).
const priorityOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 4 ? value : null;

const isoDate = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

const instantOf = (value: unknown): Instant | null => {
  if (typeof value !== "string" || value.length > 40) return null;
  const [, day = ""] = isoDate.exec(value) ?? [];
  const ms = day === "" ? Number.NaN : Date.parse(value);
  return Number.isNaN(ms) || !isDay(day) ? null : instant(ms);
};

// Date takes the 30th of February for the 2nd of March.
const isDay = (day: string): boolean => new Date(Date.parse(day)).toISOString().startsWith(day);

const textOf = (value: unknown, max: number): string | null =>
  typeof value === "string" && value.trim() !== "" ? cut(value, max).toWellFormed() : null;

// A part of a name is another name.
const branchOf = (value: unknown): string | null =>
  typeof value === "string" && value.length <= BRANCH_MAX ? textOf(value, BRANCH_MAX) : null;

// Shown as a link: anything but a web address could run as a script there.
const urlOf = (value: unknown): string | null =>
  typeof value === "string" && value.length <= URL_MAX && /^https?:\/\//.test(value) && URL.canParse(value)
    ? value
    : null;

// Copied: a slice would keep the whole of what it was cut from in memory.
const cut = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max), "utf16le").toString("utf16le");
