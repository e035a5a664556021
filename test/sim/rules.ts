/** What must hold, by name: the invariants of docs/ARCHITECTURE.md and the clauses of the contract (docs/RELIABILITY.md). */
import type { IssueId } from "../../src/domain/issue.ts";

export const RULES = {
  I1: "an issue has at most one live run, over restarts and over workflows",
  I2: "no more runs than there are slots: of a workflow, of a state, of all workflows together",
  I3: "an issue waits until a certain time, or is parked until a person does something; nothing else ends it",
  I4: "nothing happens outside before it is written down, and no order is obeyed twice",
  I5: "a run has exactly one outcome, and after it nothing more is said of it or asked of it",
  I6: "tokens are the sum of what each thread has used: never doubled, never lost, never set back",
  I7: "an issue that is done, moved away or gone has no live run soon after that was seen, and none starts",
  I8: "nothing starts against a limit, a pause, the provider or an order to stop, and counters count what happened",
  I9: "when faults have stopped, everything that may run runs, and nothing is left behind",
  C1: "a start begins where the last process ended: what was written down is what comes back",
  C5: "a tracker in trouble is left alone for as long as it asked for, and nothing goes round in circles",
  C8: "every wait has an end: what is due is not slept through, and an agent that falls silent is noticed",
  scope:
    "no run is begun, continued or tried again for a ticket outside its workflow's project, once that was told",
  fair: "no ticket that may start waits for minutes behind a lower one, of whatever workflow",
  thread: "a later run of an issue resumes its thread, and one that cannot go on has no third",
  blame:
    "no ticket is blamed for an outage of the provider or a fault of the installation, however long it lasts, and no workflow for what is one ticket's own",
  loop: "the loop does not throw",
} as const;

export type Rule = keyof typeof RULES;

export interface Violation {
  readonly rule: Rule;
  readonly words: string;
  /** The issue that it is about; null = the installation as a whole. */
  readonly issue: IssueId | null;
}

/** What the loop itself noticed: it names the invariants in its error. */
export function fromLoop(error: unknown): Violation {
  const words = error instanceof Error ? error.message : String(error);
  const named = /: (I\d): /.exec(words)?.[1];
  const rule = named !== undefined && named in RULES ? (named as Rule) : "loop";
  return { rule, words: `the loop stops: ${words}`, issue: null };
}
