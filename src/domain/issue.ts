/** A ticket as the tracker has it, normalised (SPEC 4.1.1, 11.3). Plain facts: no tracker's own shapes in here. */
import type { Instant } from "./time.ts";

/** The tracker's own stable id. Identifiers (`MT-12`) change when an issue moves team; ids do not. */
export type IssueId = string & { readonly __brand: "IssueId" };
export const issueId = (text: string): IssueId => text as IssueId;

/** Where an issue's id counts: another tracker may have given the same one, and the same identifier. */
export interface TrackerHome {
  /** `tracker.kind`. */
  readonly kind: string;
  /** Where it answers. */
  readonly endpoint: string;
  /** What the tracker itself calls the organisation whose issues these are; null = it has not said. */
  readonly organisation: string | null;
}

/** An issue that stands in the way of another (SPEC 4.1.1 `blocked_by`). Unknown parts are null. */
export interface Blocker {
  readonly id: string | null;
  readonly identifier: string | null;
  readonly state: string | null;
}

/** What the lean scan knows of an issue: enough to sort and to see that something changed. */
export interface IssueSummary {
  readonly id: IssueId;
  /** Human-readable key, `MT-12`. */
  readonly identifier: string;
  readonly title: string;
  /** Workflow state by name, as the tracker spells it; compare with `stateKey`. */
  readonly state: string;
  /** 1 (urgent) to 4 (low); null when unset (Linear's 0) or unknown. */
  readonly priority: number | null;
  readonly createdAt: Instant | null;
  readonly updatedAt: Instant | null;
  /**
   * False when the tracker says that nobody may work on it here: archived, in the trash, assigned to somebody else, or, as
   * far as it was asked for, in another project.
   */
  readonly dispatchable: boolean;
  /** Why it is not, as the end of a sentence ("it is archived"); absent when it is. */
  readonly whyNot?: string;
  /** In the trash or the archive: as good as finished, whatever its state. Absent when it is not. */
  readonly putAway?: true;
}

/** What a refresh by id brings: enough to see whether a run may go on (SPEC 17.3 "minimal normalized issues"). */
export interface IssueStatus extends IssueSummary {
  /** Lower-cased, in the tracker's order. */
  readonly labels: readonly string[];
}

/** Names that a tracker's own tools take for an issue and what it hangs on. None is a secret. */
export type NativeRef = Readonly<Record<string, string | number | null>>;

/** A hydrated issue: everything a dispatch decision or a prompt needs. */
export interface Issue extends IssueStatus {
  /** Handed on as it is: the scheduler never looks into it (SPEC 4.2). Null where a tracker has none. */
  readonly nativeRef: NativeRef | null;
  /** The tracker's own id of the user; null = nobody. */
  readonly assigneeId: string | null;
  readonly description: string | null;
  readonly branchName: string | null;
  readonly url: string | null;
  readonly blockedBy: readonly Blocker[];
}

/** State and label names are compared after trim and lower-case (SPEC 4.2). */
export const stateKey = (name: string): string => name.trim().toLowerCase();
