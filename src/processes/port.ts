/**
 * What a system tells of its processes. There are two ways to ask it, `/proc` and `ps`; one suite passes for both
 * (test/unit/processes/port-suite.ts), and `machine.ts` chooses.
 */

/** One process for good: numbers are used again, start times are not. */
export interface Identity {
  readonly pid: number;
  /** Grows with time. What it counts is the business of who told it: it is compared with its own kind only. */
  readonly start: number;
}

export interface Listed extends Identity {
  readonly parent: number;
  readonly group: number;
  /**
   * Another text once the process has become another program, which may have been given another environment. Empty for
   * one that has no program: a thread of the kernel, or a process on its way out.
   */
  readonly program: string;
}

/** By pid. */
export type Listing = ReadonlyMap<number, Listed>;

export interface Processes {
  readonly source: "/proc" | "ps";
  /**
   * All that live, this process among them; the dead that wait to be reaped do not. Those in `known` that are still
   * there may come back as they are, not read again.
   */
  list(known: Listing): Listing;
  /** Those of these that live, read now. */
  read(pids: readonly number[]): Listing;
  /**
   * What stands under these names in the environments of these processes, as `NAME=value` with a NUL at the end. Of
   * who is missing in the answer nothing is known yet, and may be at the next try; who may not be read has nothing.
   */
  environments(of: readonly Listed[], names: ReadonlySet<string>): ReadonlyMap<number, readonly string[]>;
  /** Which boot we are in: pids and start times begin again with each. Null where that is not told. */
  bootId(): string | null;
  /**
   * How many processes the system has ended for want of memory since boot, those that reached a limit of their own
   * included; 0 where it does not say. Of the whole machine, also inside a container: a rise says it may have been ours.
   */
  oomKills(): number;
}
