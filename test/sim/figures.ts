/** What happened in a simulated time, counted: a fault that never occurs is no fault. */

/**
 * Each thing that is counted, and how often it must have happened in ten worlds of thirty days: a fifth of what is seen,
 * since some climates know some faults not at all.
 */
const LEAST = {
  // how the daemon comes to its end
  killedBeforeCommit: 50,
  killedAfterCommit: 30,
  killedBetweenEffects: 100,
  killedAtAnyMoment: 60,
  killedInRecovery: 15,
  stoppedByDisk: 30,
  stoppedInPeace: 25,
  stoppedWithoutPatience: 1,
  starts: 400,
  // the tracker
  serverErrors: 5_000,
  refusals429: 2_000,
  silences: 2_000,
  outages: 10,
  slowAnswers: 2_000,
  staleAnswers: 4_000,
  partialLists: 2_000,
  absences: 100,
  answersTwice: 2_000,
  answersOvertaken: 150,
  // news of runs
  newsTwice: 200,
  newsOvertaken: 80,
  newsOfTheDead: 700,
  // agents and their provider
  workspacesFailed: 100,
  launchesFailed: 100,
  turnsFailed: 300,
  deaths: 100,
  agentsSilent: 50,
  providerRefusals: 40,
  threadsForgotten: 80,
  deadThreadsResumed: 50,
  oddTotals: 1_500,
  // what is no ticket's fault
  providerOutages: 5,
  rootFaults: 5,
  codexFaults: 5,
  hostFaults: 5,
  // people
  ticketsEdited: 300,
  ticketsMoved: 150,
  ticketsDeleted: 300,
  projectMoves: 200,
  ticketsTrashed: 100,
  ticketsRenamed: 80,
  projectReloads: 50,
  editedUnderWay: 35,
  movedUnderWay: 20,
  deletedUnderWay: 2,
  reloads: 40,
  brokenReloads: 15,
  pauses: 25,
  resumes: 100,
  releases: 35,
  drains: 8,
  // the machine
  ledgerDiskFull: 10,
  stepsTriedAgain: 1_000,
  stepsLost: 50,
  slowCommits: 200,
  workspaceDiskLow: 20,
  clockForward: 5,
  clockBack: 5,
  machineSlept: 5,
  // what came of it
  days: 300,
  steps: 500_000,
  commits: 100_000,
  runs: 5_000,
  parks: 50,
  ticketsDone: 500,
  ticketsReopened: 50,
  removalsCalledOff: 1,
} as const;

export type Counted = keyof typeof LEAST;

/** A class of numbers, so that counting costs next to nothing. */
export class Figures {
  readonly counts: Record<Counted, number>;
  /** Where it was killed: the event of the step, and before or after what. */
  readonly killedIn = new Set<string>();

  constructor() {
    const zeros = Object.keys(LEAST).map((name) => [name, 0]);
    this.counts = Object.fromEntries(zeros) as Record<Counted, number>;
  }

  add(what: Counted, times = 1): void {
    this.counts[what] += times;
  }

  addAll(other: Figures): void {
    for (const what of Object.keys(this.counts) as Counted[]) this.counts[what] += other.counts[what];
    for (const where of other.killedIn) this.killedIn.add(where);
  }
}

/** What happened too rarely, in words. Of less than ten worlds nothing can be said: climates differ. */
export function tooRare(counts: Readonly<Record<string, number>>): readonly string[] {
  const share = (counts["days"] ?? 0) / LEAST.days;
  if (share < 1) return [];
  return Object.entries(LEAST)
    .filter(([what, least]) => (counts[what] ?? 0) < Math.floor(least * share))
    .map(([what, least]) => `${what} is ${counts[what] ?? 0}, at least ${Math.floor(least * share)}`);
}
