/** From what the ledger remembers to the state a start begins with. Pure but for the records it returns. */
import { failure } from "../domain/failure.ts";
import type { IssueId } from "../domain/issue.ts";
import { addTokens, highWater, type Ending, type Tokens, type WorkflowName } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { OpenRun, Saved } from "../ledger/port.ts";
import { newTally } from "../scheduler/change.ts";
import { initialState } from "../scheduler/decide.ts";
import type { LedgerRecord } from "../scheduler/effects.ts";
import type { Claim, State, Tally, Waiting } from "../scheduler/state.ts";

export interface Recovered {
  readonly state: State;
  /** Endings of runs that died with the last process, to be committed before anything starts. */
  readonly records: readonly LedgerRecord[];
}

/**
 * `workflows`: those this daemon runs; null = whichever there are. Runs without an ending are `lost`; their issues wait, due at once, to go on with the same thread. A lost run is not
 * the issue's doing and gives its attempt back.
 */
export function recover(
  saved: Saved,
  now: Instant,
  workflows: ReadonlySet<WorkflowName> | null = null,
): Recovered {
  const open = new Map(saved.open.map((run) => [run.issueId, run]));
  const tallies = new Map(saved.tallies);
  const records: LedgerRecord[] = [];
  for (const run of saved.open) {
    const tally = withLost(tallies.get(run.issueId) ?? newTally, run);
    tallies.set(run.issueId, tally);
    records.push(
      { type: "run_ended", runId: run.runId, ending: LOST, turns: run.turns, tokens: run.tokens, at: now },
      { type: "tally", issueId: run.issueId, identifier: run.identifier, tally },
    );
  }
  const claims = new Map<IssueId, Claim>();
  for (const claim of saved.claims) {
    const restored = claim.phase === "running" ? waitingFor(claim, now) : claim;
    // Nobody would ever look at it again, and its issue could not be taken up by another workflow.
    if (restored.phase === "waiting" && workflows?.has(restored.workflow) === false) {
      records.push({ type: "unclaim", issueId: claim.issue.id });
      continue;
    }
    claims.set(claim.issue.id, restored);
    if (restored !== claim || open.has(claim.issue.id))
      records.push({ type: "claim", claim: restored, at: now });
  }
  const { pauses, spent, runsEver } = saved;
  // The run that was to try the provider is lost: the next one may.
  const holds = new Map([...saved.holds].map(([name, hold]) => [name, { ...hold, probe: null }]));
  return { state: { ...initialState, claims, tallies, holds, pauses, spent, runsEver }, records };
}

const LOST: Ending = {
  outcome: "lost",
  failure: failure("lost", "Baton's process ended while the run was under way."),
};

const withLost = (tally: Tally, run: OpenRun): Tally => ({
  ...tally,
  runs: Math.max(0, tally.runs - 1),
  tokens: addTokens(tally.tokens, run.tokens),
  thread: run.turns > 0 ? run.thread : tally.thread,
  threadTotal: run.turns > 0 ? markOf(run, tally) : tally.threadTotal,
});

// The mark of another thread would swallow the first tokens of this one.
const markOf = ({ thread, threadTotal }: OpenRun, tally: Tally): Tokens =>
  thread === tally.thread ? highWater(threadTotal, tally.threadTotal) : threadTotal;

const waitingFor = (
  { workflow, issue, run }: Extract<Claim, { phase: "running" }>,
  now: Instant,
): Waiting => ({
  phase: "waiting",
  workflow,
  issue,
  retryAt: now,
  attempt: run.attempt ?? 1,
  kind: "continuation",
  why: "Baton was restarted while it ran",
  failure: null,
});
