/**
 * Whether a tracker's own rules let anybody work on an issue here, and why not, in words that all kinds share; and labels
 * as they are compared (SPEC 11.3).
 */
import { type IssueSummary, stateKey } from "../domain/domain.ts";

interface Circumstances {
  readonly trashed: boolean;
  readonly archived: boolean;
  /** What holds it; null = nothing does. Left out where only what is in scope was asked for. */
  readonly project?: { readonly name: string | null; readonly isOurs: boolean };
  /** A user id; null = nobody. */
  readonly assignee: string | null;
  /** The user it has to be assigned to; null = anybody or nobody. */
  readonly wanted: string | null;
}

/** The first reason is the one that is told: what is in the trash is nobody's, wherever it was. */
export function dispatchability(
  of: Circumstances,
): Pick<IssueSummary, "dispatchable" | "whyNot" | "putAway"> {
  const whyNot = reason(of);
  const away = of.trashed || of.archived ? ({ putAway: true } as const) : {};
  return whyNot === null ? { dispatchable: true } : { dispatchable: false, whyNot, ...away };
}

function reason({ trashed, archived, project, assignee, wanted }: Circumstances): string | null {
  if (trashed) return "it is in the trash";
  if (archived) return "it is archived";
  if (project !== undefined && !project.isOurs)
    return project.name === null ? "it is in no project" : `it is in another project ("${project.name}")`;
  if (wanted === null || assignee === wanted) return null;
  return assignee === null ? "it is assigned to nobody" : "it is assigned to somebody else";
}

/** Trimmed and lower-cased, each once, in the tracker's order; blank ones say nothing. */
export const labelsOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map(stateKey).filter((name) => name !== "")),
];
