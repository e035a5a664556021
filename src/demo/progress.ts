/**
 * Where the six tickets are, as far as facts and the board have told. Pure: what was known and one thing that happened to
 * what is known now. Knows nothing of terminals.
 */
import type { Fact, Instant, IssueId } from "../domain/domain.ts";
import type { State } from "../scheduler/scheduler.ts";
import type { BoardChange } from "./board/board.ts";
import { happened } from "./happened.ts";

export interface Ticket {
  readonly id: IssueId;
  readonly identifier: string;
  readonly title: string;
  /** Name of its state on the board. */
  readonly state: string;
  /** Carries the label that WORKFLOW.md asks for. */
  readonly wanted: boolean;
  readonly labels: readonly string[];
  readonly blockedBy: readonly string[];
  /** Runs begun, and turns begun in all of them. */
  readonly runs: number;
  readonly turns: number;
  readonly running: boolean;
  /** When it will be tried again, and why; null when nothing waits for that. */
  readonly retry: { readonly at: Instant; readonly why: string } | null;
  /** Of all its runs. */
  readonly tokens: number;
  readonly comments: number;
  /** The last thing that happened, in words; null before anything did. */
  readonly last: string | null;
  readonly trouble: boolean;
}

export type Progress = ReadonlyMap<string, Ticket>;

export type Seed = Pick<Ticket, "id" | "identifier" | "title" | "state" | "wanted" | "labels" | "blockedBy">;

const untouched = {
  runs: 0,
  turns: 0,
  running: false,
  retry: null,
  tokens: 0,
  comments: 0,
  last: null,
  trouble: false,
} as const;

export const newProgress = (seeds: readonly Seed[]): Progress =>
  new Map(seeds.map((seed) => [seed.identifier, { ...untouched, ...seed }]));

export const isDone = ({ state }: Ticket): boolean => state === "Done";

/** Blockers that are not done yet. */
export const openBlockers = (progress: Progress, { blockedBy }: Ticket): readonly string[] =>
  blockedBy.filter((identifier) => {
    const blocker = progress.get(identifier);
    return blocker !== undefined && !isDone(blocker);
  });

/** What is known after this fact. */
export function heard(progress: Progress, fact: Fact): Progress {
  const ticket = progress.get(fact.identifier ?? "");
  if (ticket === undefined) return progress;
  const words = happened(fact);
  const told = words === null ? ticket : { ...ticket, last: words.text, trouble: words.trouble };
  return new Map(progress).set(ticket.identifier, counted(told, fact));
}

/** Most facts change no count. */
function counted(ticket: Ticket, fact: Fact): Ticket {
  if (fact.type === "run_started") return { ...ticket, runs: ticket.runs + 1, running: true, retry: null };
  if (fact.type === "run_ended") return { ...ticket, running: false };
  if (fact.type === "turn_started") return { ...ticket, turns: ticket.turns + 1 };
  if (fact.type === "retry_scheduled") return { ...ticket, retry: { at: fact.retryAt, why: fact.why } };
  return ticket;
}

/** Of the scheduler's state: what issues have used up. */
interface Accounts {
  readonly claims: Pick<State["claims"], "get">;
  readonly tallies: Pick<State["tallies"], "get">;
}

/** What is known when the scheduler's accounts are as in `state`: usage is no fact of its own. */
export const spent = (progress: Progress, { claims, tallies }: Accounts): Progress =>
  new Map(
    [...progress].map(([identifier, ticket]) => {
      const claim = claims.get(ticket.id);
      const running = claim?.phase === "running" ? claim.tokens.total : 0;
      return [identifier, { ...ticket, tokens: (tallies.get(ticket.id)?.tokens.total ?? 0) + running }];
    }),
  );

/** What is known after this change of the board. `stateName`: the name of a state by its id. */
export function seen(progress: Progress, change: BoardChange, stateName: (id: string) => string): Progress {
  if (change.type !== "issue_changed" && change.type !== "comment_added") return progress;
  const ticket = progress.get(change.issue.identifier);
  if (ticket === undefined) return progress;
  const next =
    change.type === "comment_added"
      ? { ...ticket, comments: ticket.comments + 1, last: "commented on the ticket", trouble: false }
      : { ...ticket, state: stateName(change.issue.stateId) };
  return new Map(progress).set(ticket.identifier, next);
}
