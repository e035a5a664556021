/** A board worked off from its first ticket to its last, and what that cost the daemon. */
import { accountOf, type Account } from "./account.ts";
import { session } from "./session.ts";

export interface BoardOptions {
  readonly tickets: number;
  readonly turns: number;
  readonly slots: number;
  /** A board that is not done by then has lost tickets. */
  readonly withinMs: number;
  /** The daemon's program; without one this checkout's. */
  readonly program?: string;
  /** What Node is told besides, `--import` of something that watches from the inside. */
  readonly nodeArgs?: readonly string[];
}

export interface BoardResult {
  /** CPU seconds of the daemon up to the last workspace, and those of them up to the first tracker request. */
  readonly cpu: number;
  readonly startCpu: number;
  readonly peak: number;
  readonly seconds: number;
  /** What is not as it has to be; null when every ticket was done with all its turns, each exactly once. */
  readonly problem: string | null;
}

export const fullBoard = (options: BoardOptions): Promise<BoardResult> =>
  session(options.turns, async ({ board, daemon: start }) => {
    const { tickets, slots, withinMs, program, nodeArgs } = options;
    board.add(tickets);
    const { daemon, place } = start(
      { agent: "work", agentsMax: slots, pollMs: 30_000 },
      { ...(program !== undefined && { program }), ...(nodeArgs !== undefined && { nodeArgs }) },
    );
    const startedAt = performance.now();
    await board.until("asked", 1, withinMs);
    const { cpu: startCpu } = daemon.figures();
    await daemon.until("run_ended", tickets, withinMs);
    await daemon.until("workspace_removed", tickets, withinMs);
    const { cpu, peak } = daemon.figures();
    const seconds = (performance.now() - startedAt) / 1000;
    await daemon.stop();
    const told = {
      done: board.all("done").length,
      threads: new Set(board.all("thread").map(({ thread }) => thread)).size,
      turns: board.all("turn").length,
    };
    return { cpu, startCpu, peak, seconds, problem: problemOf(options, told, accountOf(place.ledger)) };
  });

/** What the agents told the board. */
interface Told {
  readonly done: number;
  readonly threads: number;
  readonly turns: number;
}

function problemOf(
  { tickets, turns: turnsEach }: BoardOptions,
  { done, threads, turns }: Told,
  account: Account,
): string | null {
  const all = tickets * turnsEach;
  const right =
    done === tickets &&
    threads === tickets &&
    turns === all &&
    account.completedRuns === tickets &&
    account.otherRuns === 0 &&
    account.threads === tickets &&
    account.turns === all;
  if (right) return null;
  const { completedRuns, otherRuns } = account;
  return `${done} done, ${threads}/${account.threads} threads, ${turns}/${account.turns} turns, ${completedRuns}+${otherRuns} runs`;
}
