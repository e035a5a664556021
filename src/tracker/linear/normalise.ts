/** From Linear's records to the domain's (SPEC 4.1.1, 11.3). Pure; what cannot be read is said, never guessed. */
import {
  issueId,
  stateKey,
  type Blocker,
  type Issue,
  type IssueStatus,
  type IssueSummary,
} from "../../domain/issue.ts";
import { instant, type Instant } from "../../domain/time.ts";
import type { IssueRecord, LabelNode, Lean, RelationNode, StatusRecord } from "./shapes.ts";

/** Linear takes 255 characters; a longer title would only fill logs and tables. */
const titleMax = 500;

/** Twice what a prompt may have (a character is one or two of these): a longer description is refused there anyway. */
const descriptionMax = 2.2 * 1024 * 1024;

/** Git and browsers take no more. */
const branchMax = 1000;
const urlMax = 4096;

/** `assignee`: the user id that issues must be assigned to; null = anybody or nobody. */
export function summaryOf(record: Lean, assignee: string | null): IssueSummary {
  return {
    id: issueId(record.id),
    identifier: record.identifier.trim(),
    title: titleOf(record.title),
    state: record.state.name,
    priority: priorityOf(record.priority),
    createdAt: instantOf(record.createdAt),
    updatedAt: instantOf(record.updatedAt),
    dispatchable: isDispatchable(record, assignee),
  };
}

export function statusOf(
  record: StatusRecord,
  labels: readonly LabelNode[],
  assignee: string | null,
): IssueStatus {
  const names = labels.map((label) => stateKey(label.name.toWellFormed())).filter((name) => name !== "");
  return { ...summaryOf(record, assignee), labels: names };
}

export function issueOf(
  record: IssueRecord,
  lists: { readonly labels: readonly LabelNode[]; readonly relations: readonly RelationNode[] },
  assignee: string | null,
): Issue {
  return {
    ...statusOf(record, lists.labels, assignee),
    description: textOf(record.description, descriptionMax),
    branchName: branchOf(record.branchName),
    url: urlOf(record.url),
    blockedBy: lists.relations.filter(isBlocking).map(blockerOf),
  };
}

const isDispatchable = (record: Lean, assignee: string | null): boolean =>
  (record.archivedAt ?? null) === null &&
  record.trashed !== true &&
  (assignee === null || record.assignee?.id === assignee);

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
  return line.length > titleMax ? `${cut(line, titleMax - 1).toWellFormed()}…` : line;
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
  typeof value === "string" && value.length <= branchMax ? textOf(value, branchMax) : null;

// Shown as a link: anything but a web address could run as a script there.
const urlOf = (value: unknown): string | null =>
  typeof value === "string" && value.length <= urlMax && /^https?:\/\//.test(value) && URL.canParse(value)
    ? value
    : null;

// Copied: a slice would keep the whole of what it was cut from in memory.
const cut = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max), "utf16le").toString("utf16le");
