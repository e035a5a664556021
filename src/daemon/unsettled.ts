/** Tool calls of an issue's last run that went out and were not answered: nobody knows whether they were done. */
import type { Fact, IssueId, RunId } from "../domain/domain.ts";
import type { LedgerReader } from "../ledger/ledger.ts";

export interface UnsettledCall {
  readonly fields: readonly string[];
  /** Of what it creates, if it was done. */
  readonly newIds: readonly string[];
}

/** What was under way when a run ended is among its last facts. */
const FACTS_MAX = 300;

/** Those of the run before this one. */
export function unsettledCalls(
  ledger: Pick<LedgerReader, "runs" | "timeline">,
  issue: IssueId,
  run: RunId,
): readonly UnsettledCall[] {
  const before = ledger.runs({ issue, limit: 2 }).find(({ id }) => id !== run);
  if (before === undefined) return [];
  const facts = ledger.timeline([before.id], FACTS_MAX).map(({ fact }) => fact);
  const known = new Set(facts.flatMap((fact) => (isKnown(fact) ? [fact.callId] : [])));
  return facts.flatMap((fact) =>
    fact.type === "tool_started" && !known.has(fact.callId)
      ? [{ fields: fact.fields, newIds: fact.newIds }]
      : [],
  );
}

const isKnown = (fact: Fact): fact is Extract<Fact, { type: "tool_called" }> =>
  fact.type === "tool_called" && fact.unknown !== true;
