import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { threadId, turnId } from "../../../src/domain/run.ts";
import type { IssueStatus } from "../../../src/domain/issue.ts";
import { after } from "../../../src/domain/time.ts";
import { nothing } from "../../../src/scheduler/change.ts";
import { type PolicyChanges, Bench, madeIssue, madePolicy } from "./made.ts";
import { THREAD, completeTurn, exit, inTurn, refuse, use } from "./played.ts";

const ONE = madeIssue("A-1");
const MINUTE = 60_000;

test("a run goes on on the same thread while the issue is active, up to the turn limit", () => {
  const bench = new Bench(madePolicy({ turnsMax: 2 }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  inTurn(bench, issue);
  completeTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "checked", status: issue });
  expect(bench.take("turn").map((t) => t.turn)).toEqual([1, 2]);
  bench.say({ ...bench.run(issue), type: "turn_started", turnId: turnId("u-2") });
  completeTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "checked", status: issue });
  expect(bench.take("stop")).toEqual([{ type: "stop", runId: "r1", why: null, survey: true }]);
});

test("issues held back by the provider go on as soon as it works again, and others keep their backoff", () => {
  const bench = new Bench();
  const [held, failed] = [madeIssue("A-3"), madeIssue("A-4")];
  bench.scan(ONE, held, failed);
  const died = failure("port_exit", "died");
  bench.say({ ...bench.run(failed), type: "exited", failure: died, changed: null });
  refuse(bench, held, after(bench.now, 120 * MINUTE));
  inTurn(bench, ONE);
  const { records } = completeTurn(bench, ONE);
  expect(bench.claim(held)).toMatchObject({ phase: "waiting", retryAt: bench.now });
  expect(records).toContainEqual(
    expect.objectContaining({ type: "claim", claim: expect.objectContaining({ issue: held }) }),
  );
  expect(bench.claim(failed)).toMatchObject({ retryAt: after(bench.now, 10_000) });
  bench.answer(held, failed);
  expect(bench.claim(held)).toMatchObject({ phase: "running" });
  expect(bench.claim(failed)).toMatchObject({ phase: "waiting" });
});

test("what a thread has reported is counted on by the next run of the same thread, and not of another", () => {
  for (const [id, total] of [
    [THREAD, 100],
    [threadId("t-2"), 0],
  ] as const) {
    const bench = new Bench();
    bench.scan(ONE);
    inTurn(bench, ONE);
    use(bench, ONE, 100);
    exit(bench, ONE, ["port_exit", "it died"]);
    bench.pass(10_000);
    bench.answer(ONE);
    bench.say({ ...bench.run(ONE), type: "opened", threadId: id, resumed: true, why: null });
    expect(bench.claim(ONE)).toMatchObject({ threadTotal: { total } });
  }
});

test("a run has one thread: said twice, it is opened once", () => {
  const bench = new Bench();
  bench.scan(ONE);
  inTurn(bench, ONE);
  const again = { type: "opened", threadId: threadId("t-2"), resumed: false, why: null } as const;
  expect(bench.say({ ...bench.run(ONE), ...again })).toEqual(nothing(bench.state));
});

describe("between two turns a run ends when", () => {
  const ends: readonly (readonly [string, PolicyChanges, IssueStatus | null, boolean])[] = [
    ["its issue is not active any more", {}, { ...ONE, state: "Backlog" }, false],
    ["its issue is no longer visible", {}, null, false],
    ["it has had its turns", { turnsMax: 1 }, ONE, true],
    ["the tokens of its issue are used up", { limits: { maxTokensPerIssue: 50 } }, ONE, true],
  ];
  test.each(ends)("%s", (_when, policy, status, survey) => {
    const bench = new Bench(madePolicy(policy));
    bench.scan(ONE);
    inTurn(bench, ONE);
    bench.take("turn");
    use(bench, ONE, 40);
    completeTurn(bench, ONE);
    if (policy.limits !== undefined)
      bench.say({ type: "configured", policy: madePolicy({ limits: { maxTokensPerIssue: 40 } }) });
    bench.say({ ...bench.run(ONE), type: "checked", status });
    expect(bench.take("turn")).toEqual([]);
    // Only of an issue that is still active it decides something whether its run changed anything.
    expect(bench.take("stop")).toMatchObject([{ why: null, survey }]);
  });

  test("the tracker did not answer for as long as a check waits", () => {
    const bench = new Bench();
    bench.scan(ONE);
    inTurn(bench, ONE);
    completeTurn(bench, ONE);
    const why = failure("tracker_error", "no answer");
    bench.say({ ...bench.run(ONE), type: "check_failed", failure: why });
    expect(bench.take("stop")).toMatchObject([{ why }]);
    expect(bench.say({ ...bench.run(ONE), type: "checked", status: ONE }).work).toEqual([]);
  });
});
