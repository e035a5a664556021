/**
 * Answers to the documents of src/tracker/linear/documents.ts, by the name of the operation: nothing is parsed or
 * executed. The records have every field that those documents ask for, and nothing else.
 */
import type { Ticket, Tickets } from "./tickets.ts";

export interface Question {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly data: unknown;
  /** Tickets that a scan listed, and whether this was its last page. */
  readonly listed: readonly Ticket[];
  readonly last: boolean;
}

/** About as long as people write them. */
const description = "When the list is empty the page shows nothing at all. ".repeat(12).trim();

type Answering = (tickets: Tickets, variables: Question["variables"]) => Answer;

const answers: ReadonlyMap<string, Answering> = new Map<string, Answering>([
  ["BatonCandidates", (tickets, variables) => page(tickets.inState("Todo"), variables)],
  ["BatonInStates", (tickets, variables) => unlisted(page(tickets.inState("Done"), variables).data)],
  ["BatonStatuses", (tickets, variables) => byIds(tickets, variables, status)],
  ["BatonIssues", (tickets, variables) => byIds(tickets, variables, whole)],
]);

/** @throws Error for a document that the board was not taught */
export function answerTo(tickets: Tickets, { query, variables }: Question): Answer {
  const name = /^\s*query (Baton\w+)/.exec(query)?.[1] ?? query.slice(0, 80);
  const answering = answers.get(name);
  if (answering === undefined) throw new Error(`the light board knows no answer to ${name}`);
  return answering(tickets, variables);
}

const unlisted = (data: unknown): Answer => ({ data, listed: [], last: false });

/** The cursor is the number of records before it. */
function page(all: readonly Ticket[], { first, after }: Question["variables"]): Answer {
  const from = typeof after === "string" ? Number(after) : 0;
  const to = from + (typeof first === "number" ? first : 50);
  const listed = all.slice(from, to);
  const more = to < all.length;
  const pageInfo = { hasNextPage: more, endCursor: more ? String(to) : null };
  return { data: { issues: { nodes: listed.map(lean), pageInfo } }, listed, last: !more };
}

function byIds(
  tickets: Tickets,
  { ids }: Question["variables"],
  record: (ticket: Ticket) => unknown,
): Answer {
  const wanted = Array.isArray(ids) ? ids.map(String) : [];
  const nodes = wanted.flatMap((id) => {
    const ticket = tickets.byId(id);
    return ticket === undefined ? [] : [record(ticket)];
  });
  return unlisted({ issues: { nodes, pageInfo: lastPage } });
}

const lastPage = { hasNextPage: false, endCursor: null };

const lean = ({ number, id, identifier, state, updatedAt }: Ticket) => ({
  id,
  identifier,
  title: `Show a hint when list ${number} is empty`,
  priority: (number % 4) + 1,
  createdAt: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
  updatedAt,
  archivedAt: null,
  trashed: null,
  state: { name: state },
  assignee: null,
});

const status = (ticket: Ticket) => ({
  ...lean(ticket),
  project: { slugId: "bench" },
  labels: { nodes: [{ name: "agent" }, { name: "bug" }], pageInfo: lastPage },
});

const whole = (ticket: Ticket) => ({
  ...status(ticket),
  state: { name: ticket.state, id: `state-${ticket.state}` },
  team: { id: "team-1" },
  project: { slugId: "bench", id: "project-1" },
  description,
  branchName: `agent/${ticket.identifier}`,
  url: `https://linear.app/bench/issue/${ticket.identifier}`,
  inverseRelations: { nodes: [], pageInfo: lastPage },
});
