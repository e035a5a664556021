/** Whether an order can be meant, as far as the ledger knows: a slip of the keys is told at once, and not written down. */
import { after, DAY_MS, EVERYTHING, instant, type Order } from "../domain/domain.ts";
import { plain } from "../facts/facts.ts";
import type { IssueRow, LedgerReader, TimelineRow } from "../ledger/ledger.ts";
import { near } from "./near.ts";

/** Runs and events that are looked through for names. */
const ROWS_MAX = 2_000;

/** As long as history is kept by default. */
const LOADED_DAYS = 30;

type Asked = Pick<LedgerReader, "issue" | "load" | "runs" | "lately">;

/** Why nothing can come of the order; null when something can. `isServed`: a daemon is there, who knows its workflows. */
export function refusal(ledger: Asked, order: Order, isServed: boolean): string | null {
  switch (order.type) {
    case "release":
      return ledger.issue(order.issue) === null ? unknownIssue(ledger, order.issue) : null;
    case "pause":
    case "resume":
      return order.scope === EVERYTHING || isServed ? null : unknownWorkflow(ledger, order.scope);
    case "drain":
    case "release_all":
      return null;
  }
}

function unknownIssue(ledger: Asked, issue: string): string {
  const like = near(
    issue,
    ledger.load().claims.map((claim) => claim.issue.identifier),
  );
  const hint =
    like.length === 0
      ? "`baton status` shows the tickets that are held."
      : `Did you mean ${like.join(" or ")}?`;
  return `no ticket ${issue} was ever taken here: there is nothing to release. ${hint}`;
}

function unknownWorkflow(ledger: Asked, name: string): string | null {
  const saved = ledger.load();
  const loaded = ledger
    .lately(after(instant(Date.now()), -LOADED_DAYS * DAY_MS), ROWS_MAX)
    .flatMap(({ fact }) =>
      fact.type === "workflow_loaded" && fact.workflow !== undefined ? [fact.workflow] : [],
    );
  const names = new Set<string>([
    ...loaded,
    ...ledger.runs({ limit: ROWS_MAX }).map((run) => run.workflow),
    ...saved.claims.map((claim) => claim.workflow),
    ...saved.pauses.keys(),
  ]);
  if (names.has(name)) return null;
  const known = [...names].filter((one) => one !== EVERYTHING).map((one) => `"${one}"`);
  const there = known.length === 0 ? "none has run here yet" : `there is ${known.join(", ")}`;
  return `no workflow called "${name}" is known here; ${there}.`;
}

/** Of a ticket that nothing holds: why it was let go of, and what takes it up again. `rows`: what happened to it. */
export function notHeld(
  { identifier, state }: Pick<IssueRow, "identifier" | "state">,
  rows: readonly TimelineRow[],
): string {
  const seen = state === null ? "" : ` (last seen in "${plain(state, STATE_CHARS_MAX)}")`;
  const last = rows.findLast(({ fact }) => fact.type === "released")?.fact;
  const why = last?.type === "released" ? `, it was let go of because ${plain(last.why, WHY_CHARS_MAX)}` : "";
  return `nothing holds ${identifier}${seen}${why}: there is nothing to release, and it is taken up when the tracker shows it in an active state. \`baton show ${identifier}\` asks.`;
}

const STATE_CHARS_MAX = 80;
const WHY_CHARS_MAX = 200;
