/** From what the ledger remembers to the state a start begins with. Pure but for the records it returns. */
import { type Ending, failure, type Instant, type WorkflowName } from "../domain/domain.ts";
import type { OpenRun, Saved } from "../ledger/ledger.ts";
import {
  afterRun,
  type Claim,
  Claims,
  initialState,
  type LedgerRecord,
  newTally,
  PersistentMap,
  type State,
  type Waiting,
} from "../scheduler/scheduler.ts";

export interface Recovered {
  readonly state: State;
  /** Endings of runs that died with the last process, to be committed before anything starts. */
  readonly records: readonly LedgerRecord[];
  /** The issues of those runs. */
  readonly lost: readonly Lost[];
}

export interface Lost {
  readonly identifier: string;
  /** False: it is of a workflow that this daemon does not run, and is let go of. */
  readonly takenUp: boolean;
}

/**
 * `workflows`: those this daemon runs; null = whichever there are. Runs without an ending are `lost`; their issues wait,
 * due at once, to go on with the same thread. A lost run is not the issue's doing and gives its attempt back; it ended at its
 * last sign of life, not when somebody came to look.
 */
export function recover(
  saved: Saved,
  now: Instant,
  workflows: ReadonlySet<WorkflowName> | null = null,
  lastSign: (run: OpenRun) => Instant = () => now,
): Recovered {
  const open = new Map(saved.open.map((run) => [run.issueId, run]));
  const tallies = new Map(saved.tallies);
  const records: LedgerRecord[] = [];
  for (const run of saved.open) {
    const at = lastSign(run);
    const tally = afterRun(tallies.get(run.issueId) ?? newTally, run, { ...UNSEEN, at });
    tallies.set(run.issueId, tally);
    records.push(
      { type: "run_ended", runId: run.runId, ending: LOST, turns: run.turns, tokens: run.tokens, at },
      { type: "tally", issueId: run.issueId, identifier: run.identifier, tally },
    );
  }
  const claims: Claim[] = [];
  for (const claim of saved.claims) {
    const restored = claim.phase === "running" ? waitingFor(claim, now) : claim;
    // Nobody would ever look at it again, and its issue could not be taken up by another workflow.
    if (restored.phase === "waiting" && workflows?.has(restored.workflow) === false) {
      records.push({ type: "unclaim", issueId: claim.issue.id });
      continue;
    }
    claims.push(restored);
    if (restored !== claim || open.has(claim.issue.id))
      records.push({ type: "claim", claim: restored, at: now });
  }
  const { pauses, refusals, spent, runsEver } = saved;
  // The run that was to try the provider is lost: the next one may.
  const holds = new Map([...saved.holds].map(([name, hold]) => [name, { ...hold, trial: null }]));
  const state: State = {
    ...initialState,
    claims: Claims.of(claims),
    tallies: PersistentMap.of(tallies),
    holds,
    pauses,
    refusals,
    spent,
    runsEver,
  };
  const lost = saved.open.map(({ issueId, identifier }) => ({
    identifier,
    takenUp: state.claims.has(issueId),
  }));
  return { state, records, lost };
}

const LOST: Ending = {
  outcome: "lost",
  failure: failure("lost", "Baton's process ended while the run was under way."),
};

/** Nobody was there to look at what such a run left. */
const UNSEEN = { ending: LOST, held: false, moved: null, fingerprint: null, state: null };

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
