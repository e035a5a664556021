/** What a new thread has to know of the work before it, from the ledger and from git. */
import type { Fact, IssueId, RunId } from "../domain/domain.ts";
import type { LedgerReader, RunRow } from "../ledger/ledger.ts";
import type { Done } from "../workflow/workflow.ts";

/** Runs that are told one by one, the newest; and those whose facts are looked through. */
const RUNS_MAX = 10;
const LOOKED_INTO_MAX = 5;

/** Of those; an hour of a busy agent has some hundreds. */
const FACTS_MAX = 2_000;

/** Files that the agents changed, those of the last changes. */
const FILES_MAX = 50;

/** What was done on the issue before this run; null when no agent has had a turn. */
export function doneBefore(
  ledger: Pick<LedgerReader, "runs" | "timeline">,
  issue: IssueId,
  run: RunId,
): Done | null {
  const before = ledger.runs({ issue, limit: RUNS_MAX + 1 }).filter(({ id }) => id !== run);
  if (before.every(({ turns }) => turns === 0)) return null;
  const ids = before.slice(0, LOOKED_INTO_MAX).map(({ id }) => id);
  const facts = ledger.timeline(ids, FACTS_MAX).map(({ fact }) => fact);
  const commands = facts.filter((fact) => fact.type === "command_ran");
  return {
    runs: before.slice(0, RUNS_MAX).map(runOf),
    lastMessage: facts.findLast(isMessage)?.message ?? null,
    files: lastFiles(facts),
    commands: commands.length,
    failedCommands: commands.filter(({ exitCode }) => exitCode !== null && exitCode !== 0).length,
  };
}

const runOf = ({ id, turns, ending, startedAt }: RunRow): Done["runs"][number] => ({
  id,
  turns,
  startedAt,
  outcome: ending?.outcome ?? "running",
  why: ending?.failure?.message ?? null,
});

const isMessage = (fact: Fact): fact is Extract<Fact, { type: "turn_ended" }> =>
  fact.type === "turn_ended" && fact.message !== null;

/** Without those that are named twice; the ones changed last come last. */
function lastFiles(facts: readonly Fact[]): readonly string[] {
  const paths = facts.flatMap((fact) => (fact.type === "files_changed" ? fact.paths : [])).toReversed();
  return [...new Set(paths)].slice(0, FILES_MAX).toReversed();
}
