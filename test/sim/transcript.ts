/**
 * What happens in a world, told line by line to whoever reads. Costs nothing when nobody does: a line is only put into
 * words when it is read.
 */
import type { IssueId } from "../../src/domain/issue.ts";

/**
 * `deed`: something the daemon says it does. `agent`, `person`, `fault`: who else acts. `gear`: the machinery at work,
 * which is of interest to those who mend it.
 */
export type LineKind = "deed" | "agent" | "person" | "fault" | "gear";

export interface Line {
  /** True time, in milliseconds since the world began. */
  readonly at: number;
  readonly kind: LineKind;
  /** Who acts, or whom it is about: an issue, a run, the daemon, the tracker. */
  readonly who: string;
  readonly words: string;
  /** The issue that it is about; null = everything. */
  readonly issue: IssueId | null;
}

export type Reader = (line: Line) => void;

/** `words`: null = nothing worth telling, after all. */
export type Tell = (kind: LineKind, who: string, words: () => string | null, issue?: IssueId | null) => void;

/** The voice of a world; `elapsed` is the true time since it began. */
export function voice(read: Reader | null, elapsed: () => number): Tell {
  if (read === null) return () => {};
  return (kind, who, words, issue = null) => {
    const said = words();
    if (said !== null) read({ at: elapsed(), kind, who, words: said, issue });
  };
}
