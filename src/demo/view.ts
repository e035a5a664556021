/** The six tickets as lines for a terminal: one each, redrawn while they change. Pure. */
import {
  type Column,
  cutTo,
  type Paint,
  sinceStart,
  type Style,
  tableLines,
  tokenCount,
} from "../terminal/terminal.ts";
import type { Instant } from "../domain/domain.ts";
import { isDone, openBlockers, type Progress, type Ticket } from "./progress.ts";

export interface Frame {
  readonly progress: Progress;
  readonly startedAt: Instant;
  readonly now: Instant;
  readonly columns: number;
  readonly paint: Paint;
  /** What the daemon as a whole is doing, when that is not the work. */
  readonly note: string | null;
}

/** From here on there is room for titles beside what the agent does. */
const WIDE_COLUMNS = 110;
/** Less says nothing. */
const NOW_MIN = 12;

export function frameLines({ progress, startedAt, now, columns, paint, note }: Frame): readonly string[] {
  const tickets = [...progress.values()];
  const wanted = tickets.filter((ticket) => ticket.wanted);
  const running = tickets.filter((ticket) => ticket.running).length;
  const counts = `${wanted.filter(isDone).length} of ${wanted.length} done, ${running} running`;
  const head = `${sinceStart(now - startedAt)}  ${note ?? counts}`;
  // One column is left free: some terminals wrap when the last one is written.
  const width = columns - 1;
  const table = tableLines(columnsFor(progress, now, columns), tickets, width, paint);
  return [paint("bold", cutTo(width, head)), ...table];
}

function columnsFor(progress: Progress, now: Instant, columns: number): readonly Column<Ticket>[] {
  const title: Column<Ticket> = { title: "TITLE", text: (ticket) => ticket.title, style: faded };
  return [
    { title: "TICKET", text: (ticket) => ticket.identifier, style: faded },
    ...(columns >= WIDE_COLUMNS ? [title] : []),
    { title: "STATE", text: (ticket) => ticket.state.padEnd(stateWidth), style: stateStyle },
    { title: "RUN", text: (ticket) => count(ticket.runs), align: "right", style: faded },
    { title: "TURN", text: (ticket) => count(ticket.turns), align: "right", style: faded },
    { title: "TOKENS", text: tokens, align: "right", style: faded },
    {
      title: "NOW",
      text: (ticket) => doing(progress, ticket, now),
      style: (ticket) => (isIdle(progress, ticket) ? "dim" : ticket.trouble ? "yellow" : null),
      restMin: NOW_MIN,
    },
  ];
}

/** The longest state there is, so that the columns do not jump. */
const stateWidth = "In Progress".length;

const count = (n: number): string => (n === 0 ? "-" : String(n));

const tokens = (ticket: Ticket): string => (ticket.tokens === 0 ? "-" : tokenCount(ticket.tokens));

const faded = ({ wanted }: Ticket): Style | null => (wanted ? null : "dim");

function stateStyle(ticket: Ticket): Style | null {
  if (isDone(ticket)) return "green";
  return ticket.running ? "cyan" : faded(ticket);
}

const isIdle = (progress: Progress, ticket: Ticket): boolean =>
  !ticket.wanted ||
  (!ticket.running && ticket.retry === null && !isDone(ticket)) ||
  openBlockers(progress, ticket).length > 0;

/** What this ticket is about right now, in a few words. */
export function doing(progress: Progress, ticket: Ticket, now: Instant): string {
  const { wanted, labels, running, retry, last } = ticket;
  if (!wanted) return `left alone: labelled ${labels.map((label) => `"${label}"`).join(", ")}`;
  if (running) return last ?? "starts";
  if (isDone(ticket)) return last ?? "done";
  const blockers = openBlockers(progress, ticket);
  if (blockers.length > 0) return `waits for ${blockers.join(", ")}`;
  if (retry !== null) return `${untilRetry(retry.at - now)}: ${retry.why}`;
  return "waits for its turn";
}

const untilRetry = (ms: number): string => (ms <= 0 ? "again now" : `again in ${Math.ceil(ms / 1000)} s`);
