/** What the board's process and the benchmarks say to each other. Times are milliseconds since the epoch, with fractions. */

export type ToBoard =
  /** New tickets, listed from the next scan on. */
  | { readonly type: "add"; readonly tickets: number }
  /** The agents that wait for the board may go on. */
  | { readonly type: "go" };

export type FromBoard =
  | { readonly type: "listening"; readonly port: number }
  /** The first question on a new connection. */
  | { readonly type: "asked"; readonly at: number }
  /** A scan was answered in full. */
  | { readonly type: "scanned"; readonly tickets: number }
  /**
   * An agent has opened its thread. `startedAt`: the first command that it ran. `listedAt`: when the scan that listed the
   * ticket for the first time was answered.
   */
  | {
      readonly type: "thread";
      readonly ticket: string;
      readonly thread: string;
      readonly startedAt: number;
      readonly listedAt: number;
    }
  /** An agent is about to write its flood. */
  | { readonly type: "flood"; readonly ticket: string }
  /** An agent waits for the board. */
  | { readonly type: "waits"; readonly ticket: string }
  /** An agent is about to end a turn. */
  | { readonly type: "turn"; readonly ticket: string; readonly thread: string }
  | { readonly type: "done"; readonly ticket: string };

/** Now, finer than Date: the figures are a few milliseconds. */
export const epochNow = (): number => performance.timeOrigin + performance.now();
