/** A ledger's life, step by step as a daemon writes it: claims, runs, turns, tokens, parks, releases, facts. */
import type { Fact } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";
import type { Ledger } from "../../../src/ledger/port.ts";
import type { LedgerRecord } from "../../../src/scheduler/effects.ts";
import type { Claim } from "../../../src/scheduler/state.ts";
import type { Tally } from "../../../src/scheduler/tally.ts";
import {
  at,
  ended,
  issue,
  launched,
  opened,
  run,
  running,
  said,
  started,
  tallied,
  tally,
  tokens,
  toolCalled,
  turnEnded,
  turnStarted,
  used,
} from "../../contract/ledger-records.ts";

/** Issues take turns, so that rows change and not only grow. */
const ISSUES = 7;

/** One commit. */
export interface Step {
  readonly records: readonly LedgerRecord[];
  readonly facts: readonly Fact[];
}

/** The three commits of the n-th run, counted from 1. */
export function stepsOf(n: number): readonly Step[] {
  const of = run(n, { issueId: issue(n % ISSUES).id, identifier: issue(n % ISSUES).identifier });
  const thread = `thread-${n % ISSUES}`;
  const spent = 100 * (1 + Math.floor(n / ISSUES));
  const after: Claim =
    n % 3 === 0
      ? {
          phase: "parked",
          workflow: of.workflow,
          issue: running(of).issue,
          reason: "failing",
          why: "it failed",
          wayOut: "move it",
          since: at(n),
        }
      : {
          phase: "waiting",
          workflow: of.workflow,
          issue: running(of).issue,
          retryAt: at(n + 60),
          attempt: 1,
          kind: "retry",
          why: "again",
          failure: null,
        };
  return [
    {
      records: [{ type: "claim", claim: running(of), at: of.startedAt }, started(of), launched(of)],
      facts: [said(`run ${n} begins`, of)],
    },
    {
      records: [opened(of, thread), turnStarted(of, 1, `Do part ${n} of it.`), used(of, spent, { thread })],
      facts: [said("working ".repeat(1 + (n % 20)), of), toolCalled(of, `call-${n}`)],
    },
    {
      records: [
        turnEnded(of, 1),
        ended(of, undefined, tokens(100)),
        tallied(n % ISSUES, tallyAfter(n, spent)),
        { type: "claim", claim: after, at: at(n + 1) },
        ...(n % 4 === 0 ? [{ type: "unclaim", issueId: of.issueId } as const] : []),
        ...(n % 5 === 0
          ? [
              {
                type: "pause",
                scope: "*",
                pause: { why: `pause ${n}`, since: instant(n), until: null },
              } as const,
            ]
          : []),
        ...(n % 10 === 0 ? [{ type: "pause", scope: "*", pause: null } as const] : []),
      ],
      facts: [said(`run ${n} ends`, of)],
    },
  ];
}

const tallyAfter = (n: number, spent: number): Tally => ({
  ...tally,
  runs: 1,
  failures: n % 3,
  idle: 0,
  extraRuns: 0,
  extraTokens: 0,
  tokens: tokens(100),
  thread: (n % 2 === 0 ? null : `thread-${n % ISSUES}`) as Tally["thread"],
  threadTotal: tokens(spent),
});

/** Commits `runs` runs; `after` is called after each commit, with its number. */
export function live(ledger: Ledger, runs: number, after: (commit: number) => void): void {
  let commit = 0;
  for (let n = 1; n <= runs; n += 1) {
    for (const { records, facts } of stepsOf(n)) {
      ledger.commit(records, facts);
      after(commit);
      commit += 1;
    }
  }
}
