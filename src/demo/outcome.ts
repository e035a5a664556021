/** What came of the demo: a row per ticket, and what is wrong with it, if anything. Pure. */
import { type Column, type Paint, tableLines, tokenCount } from "../terminal/terminal.ts";

export interface TicketOutcome {
  readonly identifier: string;
  readonly title: string;
  readonly wanted: boolean;
  /** Name of its state on the board. */
  readonly state: string;
  /** From the ledger. */
  readonly runs: number;
  readonly turns: number;
  readonly tokens: number;
  /** Short hash of the last commit on the ticket's branch in the origin; null = none. */
  readonly commit: string | null;
  readonly comments: number;
  /** Something on the board was changed. */
  readonly touched: boolean;
  /** Why the last run that failed did; null when none did. */
  readonly failure: string | null;
}

/** What is not as it should be, one sentence each; nothing when all is well. */
export const problems = (outcomes: readonly TicketOutcome[]): readonly string[] =>
  outcomes.flatMap((outcome) => (outcome.wanted ? unfinished(outcome) : disturbed(outcome)));

function unfinished({ identifier, state, commit, comments, failure }: TicketOutcome): readonly string[] {
  const why = failure === null ? "" : ` The last failure: ${failure}`;
  if (state !== "Done") return [`${identifier} is in "${state}" instead of "Done".${why}`];
  if (commit === null) return [`${identifier} is done, but there is no commit on its branch.${why}`];
  return comments === 0 ? [`${identifier} is done, but nobody commented on it.`] : [];
}

function disturbed({ identifier, runs, touched }: TicketOutcome): readonly string[] {
  if (runs > 0) return [`${identifier} does not carry the label, but was worked on.`];
  return touched ? [`${identifier} does not carry the label, but was changed.`] : [];
}

/** The table at the end. */
export const outcomeLines = (
  outcomes: readonly TicketOutcome[],
  width: number,
  paint: Paint,
): readonly string[] => tableLines(columns, outcomes, width - 1, paint);

const number = (title: string, of: (outcome: TicketOutcome) => number): Column<TicketOutcome> => ({
  title,
  text: (outcome) => (outcome.wanted ? String(of(outcome)) : "-"),
  align: "right",
  style: faded,
});

function faded({ wanted }: TicketOutcome): "dim" | null {
  return wanted ? null : "dim";
}

const columns: readonly Column<TicketOutcome>[] = [
  { title: "TICKET", text: ({ identifier }) => identifier, style: faded },
  {
    title: "STATE",
    text: ({ state }) => state,
    style: (outcome) => (outcome.state === "Done" ? "green" : outcome.wanted ? "red" : "dim"),
  },
  number("RUNS", ({ runs }) => runs),
  number("TURNS", ({ turns }) => turns),
  {
    title: "TOKENS",
    text: ({ wanted, tokens }) => (wanted ? tokenCount(tokens) : "-"),
    align: "right",
    style: faded,
  },
  { title: "COMMIT", text: ({ commit }) => commit ?? "-", style: faded },
  number("COMMENTS", ({ comments }) => comments),
  { title: "TITLE", text: ({ title }) => title, style: faded, restMin: 12 },
];
