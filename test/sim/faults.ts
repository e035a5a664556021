/** What can go wrong and how often. Every seed has a climate of its own, so that rare combinations meet. */
import { BUSY_MS } from "../../src/ledger/connect.ts";
import type { Random } from "./random.ts";

/** Probabilities per occasion, unless named otherwise. */
export interface Faults {
  /** The daemon is killed in the commit of a step: before it is written, or after. */
  readonly crashBeforeCommit: number;
  readonly crashAfterCommit: number;
  /** The daemon is killed between two effects of a step. */
  readonly crashBetween: number;
  /** The daemon is killed at any moment: times per day. */
  readonly killsPerDay: number;
  /** A person stops it properly, or twice without patience: times per day. */
  readonly stopsPerDay: number;
  /** The state disk fills up: times per day. */
  readonly fullPerDay: number;
  /** The workspace disk runs low: times per day. */
  readonly lowPerDay: number;
  /** The wall clock jumps, or the machine sleeps: times per day. */
  readonly jumpsPerDay: number;
  /** A request to the tracker fails: with a 5xx, with a 429, by silence. */
  readonly trackerFails: number;
  readonly trackerRefuses: number;
  /** The tracker goes away for minutes or hours: times per day. */
  readonly outagesPerDay: number;
  /** An answer of the tracker is old; is not whole; comes twice; takes up to a minute. */
  readonly stale: number;
  readonly partial: number;
  readonly twice: number;
  readonly slow: number;
  /** People change tickets, give orders, edit a WORKFLOW.md: times per day. */
  readonly editsPerDay: number;
  readonly ordersPerDay: number;
  readonly reloadsPerDay: number;
  /** The workspace cannot be made, or a hook fails. */
  readonly workspaceFails: number;
  /** The agent does not come up. */
  readonly launchFails: number;
  /** A thread cannot be resumed. */
  readonly forgets: number;
  /** A turn: fails, ends without a word, falls silent, is refused by the provider. */
  readonly turnFails: number;
  readonly dies: number;
  readonly stalls: number;
  readonly refused: number;
  /** Totals that repeat, shrink, or come late. */
  readonly oddUsage: number;
  /** News of a run comes twice at once, or again after a restart. */
  readonly echoes: number;
  /** News of a run is held up, so that later news overtakes it. */
  readonly late: number;
  /** A commit takes time. */
  readonly slowCommit: number;
}

/** The disk is busy, or another program has the ledger: so long it is waited for (ledger/connect.ts). */
export const COMMIT_MAX_MS = BUSY_MS;

const WORST: Faults = {
  crashBeforeCommit: 0.004,
  crashAfterCommit: 0.004,
  crashBetween: 0.002,
  killsPerDay: 4,
  stopsPerDay: 1,
  fullPerDay: 1,
  lowPerDay: 1.5,
  jumpsPerDay: 1.5,
  trackerFails: 0.1,
  trackerRefuses: 0.03,
  outagesPerDay: 0.7,
  stale: 0.2,
  partial: 0.1,
  twice: 0.05,
  slow: 0.05,
  editsPerDay: 30,
  ordersPerDay: 6,
  reloadsPerDay: 4,
  workspaceFails: 0.1,
  launchFails: 0.1,
  forgets: 0.2,
  turnFails: 0.15,
  dies: 0.08,
  stalls: 0.04,
  refused: 0.04,
  oddUsage: 0.4,
  echoes: 0.1,
  late: 0.05,
  slowCommit: 0.01,
};

/** Nothing goes wrong. */
export const CALM = scaled(WORST, () => 0);

/** Each fault is absent, rare, or as frequent as it gets. */
export const climate = (random: Random): Faults =>
  scaled(WORST, (most) => most * random.pick([0, 0.1, 0.3, 1, 1]));

function scaled(faults: Faults, scale: (most: number) => number): Faults {
  return Object.fromEntries(
    Object.entries(faults).map(([name, most]: [string, number]) => [name, scale(most)]),
  ) as unknown as Faults;
}
