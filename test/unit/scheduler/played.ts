/** What an agent does on the bench, played by hand. */
import { failure, type Failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { noTokens, threadId, turnId } from "../../../src/domain/run.ts";
import type { Decision } from "../../../src/scheduler/effects.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { type Bench, W } from "./made.ts";

/** The thread of every run here. */
export const THREAD = threadId("t-1");
export const tokens = (total: number) => ({ ...noTokens, input: total, total });

/** Brings a claimed issue to an open thread, so that its first turn is asked for. */
export function open(bench: Bench, issue: Issue): void {
  bench.say({ ...bench.run(issue), type: "launched", pid: 1, startTicks: 1, bootId: null, workspace: "/w" });
  bench.say({ ...bench.run(issue), type: "opened", threadId: THREAD, resumed: false, why: null });
}

/** Brings a claimed issue into its first turn. */
export function inTurn(bench: Bench, issue: Issue): void {
  open(bench, issue);
  bench.say({ ...bench.run(issue), type: "turn_started", turnId: turnId("u-1") });
}

/** Its turn comes to a good end; what follows from it. */
export const completeTurn = (bench: Bench, issue: Issue): Decision =>
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

/** Its turn comes to a good end, and its issue is looked at. */
export function checkedTurn(bench: Bench, issue: Issue): void {
  completeTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "checked", status: issue });
}

/** A whole run that ended well and did or did not change anything. */
export function wholeRun(bench: Bench, issue: Issue, changed: boolean | null): void {
  inTurn(bench, issue);
  checkedTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "exited", failure: null, changed });
  bench.pass(1000);
  bench.answer(issue);
}

/** Its thread reports what it has used so far. */
export const use = (bench: Bench, issue: Issue, total: number): Decision =>
  bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(total) });

/** The provider takes no work, and says until when, or not. */
export const refusal = (resetsAt: Instant | null = null): Failure =>
  failure("usage_limit", "the limit is used up", { resetsAt });

/** Its run is over because the provider takes no work. */
export const refuse = (bench: Bench, issue: Issue, resetsAt: Instant | null = null): Decision =>
  bench.say({ ...bench.run(issue), type: "exited", failure: refusal(resetsAt), changed: null });

/** For how long nothing starts in the workflow; undefined = nothing holds it. */
export function heldFor(bench: Bench): number | undefined {
  const hold = bench.state.workflows.get(W)?.hold;
  return hold === null || hold === undefined ? undefined : hold.until - bench.now;
}
