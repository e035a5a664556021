/** A start begins where the last process ended: claims, pauses, holds, counters (C1, C4). */
import { isDeepStrictEqual } from "node:util";
import type { IssueId } from "../../src/domain/issue.ts";
import { addTokens, noTokens } from "../../src/domain/run.ts";
import { instant } from "../../src/domain/time.ts";
import { tallyOf } from "../../src/scheduler/change.ts";
import type { Claim, Hold, State } from "../../src/scheduler/state.ts";
import { newTally, type Tally } from "../../src/scheduler/tally.ts";
import type { Checks } from "./checks.ts";

/** `last`: what the last process knew when it died, as far as it was written down. */
export function checkRecovery(checks: Checks, last: State, now: State, at: number): void {
  const fail = (words: string, issue: IssueId | null = null): void => checks.fail("C1", issue, words);
  for (const id of new Set([...last.claims.values(), ...now.claims.values()].map(({ issue }) => issue.id))) {
    const [was, is] = [last.claims.get(id), now.claims.get(id)];
    if (was === undefined || is === undefined)
      fail(`the claim on ${id} is ${is === undefined ? "lost" : "new"}`, id);
    else if (!isSame(was, is, at))
      fail(`the claim on ${id} came back as another: ${JSON.stringify([was, is])}`, id);
  }
  for (const id of new Set([...last.tallies.keys(), ...now.tallies.keys()])) {
    const [should, is] = [tallyAfter(last, id, at), tallyOf(now, id)];
    if (!isDeepStrictEqual(should, is))
      fail(
        `the counters of ${id} came back as ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
        id,
      );
  }
  if (!isDeepStrictEqual(last.pauses, now.pauses)) fail("the pauses came back as others");
  if (!isDeepStrictEqual(holdsOf(last), now.holds)) fail("the holds came back as others");
  if (last.runsEver !== now.runsEver) fail(`${now.runsEver} runs came back of ${last.runsEver}`);
  if (last.spent.day > checks.muddledUntil && !isDeepStrictEqual(last.spent, now.spent))
    fail(`the day's tokens came back as ${now.spent.tokens} instead of ${last.spent.tokens}`);
}

/** A running claim waits, due at once, to go on; the others are as they were. */
function isSame(was: Claim, is: Claim, at: number): boolean {
  if (was.phase !== "running") return isDeepStrictEqual(was, is);
  return (
    is.phase === "waiting" &&
    is.workflow === was.workflow &&
    is.retryAt <= at &&
    is.attempt === (was.run.attempt ?? 1) &&
    is.kind === "continuation"
  );
}

/** A lost run gives its attempt back; its tokens and its thread are kept. */
function tallyAfter(last: State, id: IssueId, at: number): Tally {
  const tally = last.tallies.get(id) ?? newTally;
  const claim = last.claims.get(id);
  if (claim?.phase !== "running") return tally;
  const isAnother = claim.turns > 0 && claim.thread !== null && claim.thread !== tally.thread;
  const isGivenUp = tally.threadFailures >= 2;
  return {
    ...tally,
    threadFailures: isGivenUp || isAnother ? 0 : tally.threadFailures,
    runs: Math.max(0, tally.runs - 1),
    tokens: addTokens(tally.tokens, claim.tokens),
    last: {
      at: instant(at),
      state: null,
      thread: claim.thread,
      turns: claim.turns,
      outcome: "lost",
      kind: "lost",
      why: "Baton's process ended while the run was under way.",
      released: null,
    },
    ...(claim.turns > 0 ? { thread: claim.thread, threadTotal: claim.threadTotal } : {}),
    ...(isGivenUp ? { thread: null, threadTotal: noTokens } : {}),
  };
}

function holdsOf(state: State): ReadonlyMap<string, Hold> {
  const boards = [...state.workflows].flatMap(([name, { hold }]) =>
    hold === null ? [] : [[name, hold] as const],
  );
  return new Map(
    [...state.holds, ...boards]
      .filter(([name]) => !state.workflows.has(name) || boards.some(([one]) => one === name))
      .map(([name, hold]) => [name, { ...hold, trial: null }]),
  );
}
