/** What becomes of an order that nobody has answered, by what is seen of the daemon. Pure. */
import type { Instant, Order } from "../domain/domain.ts";
import type { Heartbeat, Holder, TimelineRow } from "../ledger/ledger.ts";

export interface Seen {
  /** A process has the ledger. */
  readonly held: boolean;
  /** Which; null = none, or it has not said so yet. */
  readonly holder: Holder | null;
  readonly heartbeat: Heartbeat | null;
}

/** `givenAt`: longer ago than a daemon that lives takes from one sign of life to the next. */
export function unansweredWords({ type }: Order, seen: Seen, givenAt: Instant): string {
  const { held, heartbeat } = seen;
  if (!held)
    return "written down: no daemon has answered, so it will be obeyed when one starts on this ledger";
  const next = type === "drain" ? "" : ", or by the next one on this ledger";
  const who = nameOf(seen);
  if (heartbeat !== null && heartbeat.at < givenAt)
    return `written down: ${who} gives no sign of life, it is stopped or hangs. The order is obeyed when it goes on (after kill -CONT, if it was stopped)${next}`;
  const { phase, stuck } = heartbeat?.beat ?? { phase: null, stuck: null };
  if (phase === "stopping" || phase === "stopped")
    return type === "drain"
      ? `written down: ${who} is ending already`
      : `written down: ${who} is ending and takes no orders any more; it will be obeyed by the next one on this ledger`;
  const why = stuck === null ? "has not answered yet" : `cannot write anything down (${stuck})`;
  return `written down: ${who} ${why}. The order is obeyed as soon as it comes to it${next}`;
}

/** Why there is nothing to drain: it has begun. Null = it has not, by what `lately` tells of this daemon and its sign of life. */
export function drainingWords(seen: Seen, lately: readonly TimelineRow[]): string | null {
  const { holder, heartbeat, held } = seen;
  if (!held) return null;
  const since = holder === null ? Number.POSITIVE_INFINITY : Date.parse(holder.since);
  const told = lately.filter(({ at }) => at >= since).map(({ fact }) => fact.type);
  const phase = heartbeat?.beat?.phase;
  if (phase === "stopping" || phase === "stopped" || told.includes("daemon_stopping"))
    return `${nameOf(seen)} is ending already`;
  if (phase === "draining" || told.includes("draining"))
    return `${nameOf(seen)} is draining already: it takes no new work, and ends when the running turns have ended`;
  return null;
}

const nameOf = ({ holder, heartbeat }: Seen): string => {
  const pid = holder?.pid ?? heartbeat?.beat?.pid;
  return pid === undefined ? "the daemon" : `the daemon (process ${pid})`;
};
