/**
 * What the runs of a workflow have shown lately: how far they came, and by what they failed. A fault that is nobody's
 * issue is told by this from one issue's own. Not written down: a start that has forgotten it holds once more, and shortly.
 */
import type { FailureKind, Instant, IssueId } from "../domain/domain.ts";

/** How far a run came: its thread was opened, the provider answered it, or a turn of it was completed. */
export type Success = "opened" | "answered" | "completed";

export interface Signs {
  /** Last shown by which issue, and by which other one before that; the newest first. */
  readonly opened: readonly Sign[];
  readonly answered: readonly Sign[];
  /** By issue, when a run of it last failed by what seemed to be nobody's issue. */
  readonly refused: ReadonlyMap<IssueId, Instant>;
  /** Failures of one sort, counted against their issues, that followed each other without a success between. */
  readonly streak: Streak | null;
  /**
   * Issues whose hooks the workflow was held for although there were too few to be sure. True: another issue has got further
   * since, so that it is their own.
   */
  readonly few: ReadonlyMap<IssueId, boolean>;
}

interface Sign {
  readonly issue: IssueId;
  readonly at: Instant;
}

interface Streak extends Sort {
  /** How often each issue has failed in it. */
  readonly failures: ReadonlyMap<IssueId, number>;
}

/** What makes two failures the same: their kind, and the success that would show that it is over. */
export interface Sort {
  readonly kind: FailureKind;
  readonly overBy: Success;
}

export const noSigns: Signs = { opened: [], answered: [], refused: new Map(), streak: null, few: new Map() };

/** So many different issues failing alike in a row are no matter of these issues. */
export const SYSTEMIC = 3;

/** What was under way when a provider began to refuse may still be answered: it shows nothing of what begins now. */
export const IN_FLIGHT_MS = 60_000;

/** More issues than can wait for a provider at once; who failed longest ago is forgotten first. */
const REFUSED_MAX = 100;
const FEW_MAX = 100;

/** A run in its turns says nothing of whether another one could begin; a completed turn was answered. */
export const suffices = (shown: Success, needed: Success): boolean =>
  shown === needed || (shown === "completed" && needed === "answered");

/** A host that is down makes one hook fail and the next one wait. */
export const isSame = (a: Sort, b: Sort): boolean =>
  a.overBy === b.overBy && familyOf(a.kind) === familyOf(b.kind);

const familyOf = (kind: FailureKind): FailureKind => (kind === "hook_timeout" ? "hook_failed" : kind);

/** A run of this issue has come so far. */
export function withSuccess(signs: Signs, success: Success, issue: IssueId, at: Instant): Signs {
  const { refused, streak, few } = signs;
  // Mostly nothing is amiss, and then nobody asks.
  if (refused.size === 0 && streak === null && few.size === 0) return signs;
  const shown = (level: Success, before: readonly Sign[]): readonly Sign[] =>
    suffices(success, level)
      ? [{ issue, at }, ...before.filter((sign) => sign.issue !== issue).slice(0, 1)]
      : before;
  return {
    opened: shown("opened", signs.opened),
    answered: shown("answered", signs.answered),
    refused: success === "completed" ? without(refused, issue) : refused,
    streak: streak !== null && suffices(success, streak.overBy) ? null : streak,
    few: success === "opened" ? new Map([...few.keys()].filter((id) => id !== issue).map(isOwn)) : few,
  };
}

const isOwn = (id: IssueId): [IssueId, boolean] => [id, true];

/** Whether others have come so far since a run of this issue last failed: then it is this issue that cannot. */
export function isAlone(signs: Signs, overBy: Success, issue: IssueId): boolean {
  const since = signs.refused.get(issue);
  if (since === undefined) return false;
  const others = overBy === "opened" ? signs.opened : signs.answered;
  return others.some((sign) => sign.issue !== issue && sign.at > since + IN_FLIGHT_MS);
}

/** A run of this issue failed by what seems to be nobody's issue, or `alone`. */
export function withRefusal(signs: Signs, issue: IssueId, at: Instant, alone: boolean): Signs {
  const before = signs.refused.get(issue);
  // Tried again at once, it would put off what tells that it is alone for ever.
  if (before !== undefined && !alone && at - before <= IN_FLIGHT_MS) return signs;
  const refused = new Map(without(signs.refused, issue)).set(issue, at);
  const [oldest] = refused.keys();
  if (refused.size > REFUSED_MAX && oldest !== undefined) refused.delete(oldest);
  return { ...signs, refused };
}

/** A run of this issue failed, and that was counted against it. */
export function withFailure(signs: Signs, sort: Sort, issue: IssueId): Signs {
  const { streak } = signs;
  const before = streak !== null && isSame(streak, sort) ? streak.failures : new Map<IssueId, number>();
  const failures = new Map(before).set(issue, (before.get(issue) ?? 0) + 1);
  return { ...signs, streak: { ...sort, failures } };
}

/** Whether with one more failure of this sort, of this issue, so many issues have failed alike. */
export function isSystemic({ streak }: Signs, sort: Sort, issue: IssueId): boolean {
  if (streak === null || !isSame(streak, sort)) return false;
  return new Set([...streak.failures.keys(), issue]).size >= SYSTEMIC;
}

/**
 * Whether three failures in a row of hooks before the agent began are no matter of their issues although fewer than three
 * issues have failed: `others` says whether there is one besides that could show it. They cost no tokens, so that in doubt
 * they are tried for ever, as seldom as a hold is.
 */
export function isSystemicOfFew({ streak, few }: Signs, sort: Sort, issue: IssueId, others: Others): boolean {
  if (streak === null || !isSame(streak, sort) || !isOfHooks(sort) || few.get(issue) === true) return false;
  const times = [...streak.failures.values()].reduce((sum, one) => sum + one, 1);
  return times >= SYSTEMIC && !others((id) => id === issue || streak.failures.has(id));
}

/** Whether there is an issue that could be tried, besides those that have failed. */
export type Others = (hasFailed: (id: IssueId) => boolean) => boolean;

const isOfHooks = ({ kind, overBy }: Sort): boolean =>
  familyOf(kind) === "hook_failed" && overBy === "opened";

/** The workflow is held for these, and they are too few to be sure. */
export const withFew = (signs: Signs, issues: readonly IssueId[]): Signs => ({
  ...signs,
  few: new Map(
    [...signs.few, ...issues.map((id) => [id, signs.few.get(id) ?? false] as const)].slice(-FEW_MAX),
  ),
});

function without(refused: Signs["refused"], issue: IssueId): Signs["refused"] {
  if (!refused.has(issue)) return refused;
  const others = new Map(refused);
  others.delete(issue);
  return others;
}
