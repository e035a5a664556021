/** What came of the tickets: the account from the ledger, the work from the repository, the rest from the board. */
import type { LedgerReader } from "../ledger/ledger.ts";
import type { BoardIssue, BoardStore } from "./board/board.ts";
import type { TicketOutcome } from "./outcome.ts";
import { commitOn } from "./repository.ts";
import { agentLabel } from "./tickets.ts";

/** Of one ticket; WORKFLOW.md allows five. */
const RUNS_MAX = 50;

/** One row per ticket of `issues`, which are the tickets as they were in the beginning. */
export const outcomesOf = (
  issues: readonly BoardIssue[],
  store: BoardStore,
  ledger: LedgerReader,
  origin: string,
): Promise<readonly TicketOutcome[]> =>
  Promise.all(issues.map((issue) => outcomeOf(issue, store, ledger, origin)));

async function outcomeOf(
  before: BoardIssue,
  store: BoardStore,
  ledger: LedgerReader,
  origin: string,
): Promise<TicketOutcome> {
  const { id, identifier, title, labelIds } = before;
  const now = store.issue(id);
  const runs = ledger.runs({ issue: id, limit: RUNS_MAX });
  const comments = [...store.comments.values()].filter((comment) => comment.issueId === id).length;
  const failed = runs.find((run) => (run.ending?.failure ?? null) !== null);
  return {
    identifier,
    title,
    wanted: labelIds.some((label) => store.labels.get(label)?.name === agentLabel),
    state: store.state(now.stateId).name,
    runs: runs.length,
    turns: runs.reduce((sum, run) => sum + run.turns, 0),
    tokens: runs.reduce((sum, run) => sum + run.tokens.total, 0),
    commit: await commitOn(origin, `agent/${identifier}`),
    comments,
    touched: now.updatedAt > before.updatedAt || comments > 0,
    failure: failed?.ending?.failure?.message ?? null,
  };
}
