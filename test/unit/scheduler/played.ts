/** What an agent does on the bench, played by hand. */
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { noTokens, threadId, turnId } from "../../../src/domain/run.ts";
import type { Effect } from "../../../src/scheduler/effects.ts";
import type { Bench } from "./made.ts";

/** The thread of every run here. */
export const THREAD = threadId("t-1");
export const tokens = (total: number) => ({ ...noTokens, input: total, total });

/** Brings a claimed issue into its first turn. */
export function inTurn(bench: Bench, issue: Issue): void {
  bench.say({ ...bench.run(issue), type: "launched", pid: 1, startTicks: 1, bootId: null, workspace: "/w" });
  bench.say({ ...bench.run(issue), type: "opened", threadId: THREAD, resumed: false, why: null });
  bench.say({ ...bench.run(issue), type: "turn_started", turnId: turnId("u-1") });
}

/** Its turn comes to a good end; what follows from it. */
export const completeTurn = (bench: Bench, issue: Issue): readonly Effect[] =>
  bench.say({
    ...bench.run(issue),
    type: "turn_ended",
    turnId: turnId("u-1"),
    status: "completed",
    failure: null,
    message: null,
  });

/** Its run is over. */
export const exit = (bench: Bench, issue: Issue, why: Parameters<typeof failure> | null = null): void =>
  void bench.say({
    ...bench.run(issue),
    type: "exited",
    failure: why === null ? null : failure(...why),
    changed: null,
  });
