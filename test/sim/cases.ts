/**
 * Seeds that failed once, with the rule that they showed. They stay here for ever. A seed is a world only as long as the
 * simulation draws as it did: what keeps a rule is its test in test/unit/scheduler/; a case keeps the neighbourhood in
 * which it was broken.
 */
export interface Case {
  readonly seed: number;
  readonly days: number;
  readonly showed: string;
}

export const CASES: readonly Case[] = [
  { seed: 20, days: 2, showed: "after the clock was set back, no wait lasts longer than a wait may" },
  {
    seed: 9,
    days: 2,
    showed: "a drain that was ordered while no daemon ran is told to have come too late",
  },
  { seed: 11, days: 2, showed: "issues held back by the provider go on when it works again" },
  { seed: 1, days: 2, showed: "parked issues are not looked at in a circle when the tracker fails" },
  { seed: 20, days: 2, showed: "an answer to an older question does not start an issue before its time" },
  { seed: 1, days: 2, showed: "what a resumed thread repeats before its first turn is not counted twice" },
  { seed: 3, days: 2, showed: "a time that the provider told is not shortened by a later refusal" },
  { seed: 13, days: 2, showed: "a refusal holds the workflow although the issue is done by then" },
  { seed: 22, days: 2, showed: "an order that is heard again while the ledger takes nothing is obeyed once" },
  { seed: 9, days: 30, showed: "what waits in the loop when the daemon ends is not done any more" },
];
