/** What a fault suite is: one fault of the contract, tried a number of times, and what its figures must be. */
import type { Figures } from "./figures.ts";

export interface Suite {
  /** As in docs/RELIABILITY.md: `F9`. */
  readonly name: string;
  /** The rule that holds under this fault. */
  readonly promise: string;
  readonly rounds: {
    /** In every `npm test`: some seconds. */
    readonly test: number;
    /** In every run of CI, by `npm run torture`. */
    readonly ci: number;
    /** Before a release, by `npm run torture -- --release`. */
    readonly release: number;
  };
  /** Figures that a table shows, where there are more than it takes. */
  readonly listed?: readonly string[];
  /** Set when it is for Linux only: why. */
  readonly linuxOnly?: string;
  /** Tries the fault so often. The seed decides everything that is left to chance. */
  run(rounds: number, seed: number): Promise<Figures>;
  /** What is wrong with the figures; nothing = passed. */
  judge(figures: Figures): readonly string[];
}
