/**
 * What is on the demo's board: four tickets for the agent, two that carry other labels and must stay as they are. The
 * board numbers them in this order, so the first is DEMO-1.
 */
import type { BoardIssue, BoardStore } from "./board/board.ts";

/** The label that WORKFLOW.md asks for. */
export const agentLabel = "agent";

export interface Ticket {
  readonly title: string;
  readonly description: string;
  /** 1 is urgent, 4 is low. */
  readonly priority: number;
  readonly label: string;
  /** Title of the ticket that has to be done first. */
  readonly after?: string;
}

export const tickets = [
  {
    title: "Greet the world when nobody is named",
    description: "`./greet.sh` without a name prints `Hello, !`. It should greet the world.",
    priority: 1,
    label: agentLabel,
  },
  {
    title: "Say goodbye, too",
    description: "`sh goodbye.sh Ada` should print `Goodbye, Ada!`. With a check, and a line in the README.",
    priority: 2,
    label: agentLabel,
  },
  {
    title: "Keep the words in a file",
    description:
      "The word for hello should be in `words/en`, so that other languages need no change of code.",
    priority: 2,
    label: agentLabel,
  },
  {
    title: "Greet in French",
    description: "`GREET_IN=fr ./greet.sh Ada` should print `Bonjour, Ada!`.",
    priority: 2,
    label: agentLabel,
    after: "Keep the words in a file",
  },
  { title: "Draw a logo", description: "A hand that waves?", priority: 1, label: "design" },
  {
    title: "Decide how releases are numbered",
    description: "To be discussed on Thursday.",
    priority: 3,
    label: "discuss",
  },
] as const satisfies readonly Ticket[];

/** Puts the tickets on the board, with who waits for whom. */
export function fill(store: BoardStore): readonly BoardIssue[] {
  const byTitle = new Map<string, BoardIssue>();
  const all: readonly Ticket[] = tickets;
  for (const ticket of all) {
    const { title, description, priority, label, after } = ticket;
    const issue = store.add({ title, description, priority, labels: [label], state: "Todo" });
    byTitle.set(title, issue);
    const first = after === undefined ? undefined : byTitle.get(after);
    if (first !== undefined) store.relate({ type: "blocks", issueId: first.id, relatedIssueId: issue.id });
  }
  return [...byTitle.values()];
}
