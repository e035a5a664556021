import { expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { after, type Instant } from "../../../src/domain/time.ts";
import type { Effect } from "../../../src/scheduler/effects.ts";
import { Bench, W, madeIssue } from "./made.ts";
import { completeTurn, inTurn } from "./played.ts";

const MINUTE = 60_000;
const [ONE, TWO] = [madeIssue("A-1"), madeIssue("A-2")];

const refusal = (resetsAt: Instant | null) => failure("usage_limit", "the limit is used up", { resetsAt });

const refuse = (bench: Bench, issue: Issue, resetsAt: Instant | null = null) =>
  bench.say({ ...bench.run(issue), type: "exited", failure: refusal(resetsAt), changed: null });

const wholeTurn = (bench: Bench, issue: Issue): readonly Effect[] => {
  inTurn(bench, issue);
  return completeTurn(bench, issue);
};

const heldFor = (bench: Bench): number | undefined => {
  const hold = bench.state.workflows.get(W)?.hold;
  return hold === null || hold === undefined ? undefined : hold.until - bench.now;
};

function bothRunning(): Bench {
  const bench = new Bench();
  bench.scan(ONE, TWO);
  return bench;
}

test("runs that are refused together are one refusal: the hold is not doubled for each of them", () => {
  const bench = bothRunning();
  refuse(bench, ONE);
  refuse(bench, TWO);
  expect(heldFor(bench)).toBe(5 * MINUTE);
  expect(bench.facts("held")).toHaveLength(1);
});

test("a time that the provider told is not shortened by a refusal that tells none, or an earlier one", () => {
  const bench = bothRunning();
  const told = after(bench.now, 120 * MINUTE);
  refuse(bench, ONE, told);
  refuse(bench, TWO);
  expect(heldFor(bench)).toBe(120 * MINUTE);
  expect(bench.claim(TWO)).toMatchObject({ phase: "waiting", retryAt: told });

  const other = bothRunning();
  refuse(other, ONE, told);
  refuse(other, TWO, after(other.now, MINUTE));
  expect(heldFor(other)).toBe(120 * MINUTE);
});

test("a time that the provider told takes the place of a guess, also of a longer one", () => {
  const bench = bothRunning();
  refuse(bench, ONE);
  refuse(bench, TWO, after(bench.now, MINUTE));
  expect(heldFor(bench)).toBe(MINUTE);
});

test("a refusal holds the workflow whatever becomes of the issue, and while Baton is stopping", () => {
  const bench = bothRunning();
  const gone = { ...ONE, state: "Done" };
  bench.say({ type: "refreshed", workflow: W, ids: [ONE.id], statuses: [gone] });
  refuse(bench, ONE);
  expect(bench.claim(ONE)).toBeUndefined();
  expect(heldFor(bench)).toBe(5 * MINUTE);

  const stopping = bothRunning();
  const ended = { status: "failed", failure: refusal(null), message: null } as const;
  stopping.say({ ...stopping.run(ONE), type: "turn_ended", turnId: null, ...ended });
  stopping.say({ type: "stop_requested", why: "SIGTERM", force: false });
  stopping.say({ ...stopping.run(ONE), type: "exited", failure: null, changed: null });
  expect(heldFor(stopping)).toBe(5 * MINUTE);
});

test("issues held back by the provider go on as soon as it works again, and others keep their backoff", () => {
  const bench = new Bench();
  const [held, failed] = [madeIssue("A-3"), madeIssue("A-4")];
  bench.scan(ONE, held, failed);
  const died = failure("port_exit", "died");
  bench.say({ ...bench.run(failed), type: "exited", failure: died, changed: null });
  refuse(bench, held, after(bench.now, 120 * MINUTE));
  const effects = wholeTurn(bench, ONE);
  expect(bench.claim(held)).toMatchObject({ phase: "waiting", retryAt: bench.now });
  expect(effects).toContainEqual({
    type: "record",
    record: expect.objectContaining({ type: "claim", claim: expect.objectContaining({ issue: held }) }),
  });
  expect(bench.claim(failed)).toMatchObject({ retryAt: after(bench.now, 10_000) });
  bench.answer(held, failed);
  expect(bench.claim(held)).toMatchObject({ phase: "running" });
  expect(bench.claim(failed)).toMatchObject({ phase: "waiting" });
});
