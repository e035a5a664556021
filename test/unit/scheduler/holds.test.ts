import { describe, expect, test } from "vitest";
import { failure, type FailureKind } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { threadId, turnId } from "../../../src/domain/run.ts";
import { HOLD_MAX_MS, holdUntil } from "../../../src/scheduler/holds.ts";
import { IN_FLIGHT_MS } from "../../../src/scheduler/signs.ts";
import type { Hold } from "../../../src/scheduler/state.ts";
import { Bench, madeIssue, madePolicy, T0, W } from "./made.ts";
import { checkedTurn, completeTurn, exit, inTurn, open, tokens } from "./played.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const [ONE, TWO, THREE, FOUR] = ["A-1", "A-2", "A-3", "A-4"].map((key) => madeIssue(key)) as [
  Issue,
  Issue,
  Issue,
  Issue,
];

const holdOf = (bench: Bench): Hold | null => bench.state.workflows.get(W)?.hold ?? null;
const tallyOf = (bench: Bench, issue: Issue) => bench.state.tallies.get(issue.id);
const started = (bench: Bench): readonly string[] => bench.take("start").map(({ issue }) => issue.identifier);

/** Its run ends by this, before it had a thread. */
const fail = (bench: Bench, issue: Issue, kind: FailureKind, hint: string | null = null): void =>
  void bench.say({
    ...bench.run(issue),
    type: "exited",
    failure: failure(kind, `it was ${kind}`, { hint }),
    changed: null,
  });

/** Its run ends by this in its first turn. */
function failInTurn(bench: Bench, issue: Issue, kind: FailureKind): void {
  inTurn(bench, issue);
  fail(bench, issue, kind);
}

/** The issue's thread, unlike those of others, has used so many tokens. */
const answered = (bench: Bench, issue: Issue, total: number): void => {
  const claim = bench.state.claims.running.get(issue.id);
  bench.say({
    ...bench.run(issue),
    type: "usage",
    threadId: claim?.thread ?? threadId("none"),
    total: tokens(total),
  });
};

/** The alarm rings when the hold ends, and the tracker shows these. */
function ring(bench: Bench, ...issues: readonly Issue[]): void {
  bench.pass(Math.max(0, (holdOf(bench)?.until ?? bench.now) - bench.now));
  bench.answer(...issues);
}

describe("a provider that is overloaded or cannot be reached", () => {
  test.each(["provider_overloaded", "provider_unreachable"] as const)(
    "parks nobody (%s): it holds the workflow, one run at a time tries, and the backlog stays where it is",
    (kind) => {
      const backlog = Array.from({ length: 50 }, (_, n) => madeIssue(`B-${n}`));
      const bench = new Bench(madePolicy({ limits: { maxFailures: 3, maxRunsPerIssue: 5 } }));
      bench.scan(ONE, TWO, THREE, ...backlog);
      expect(started(bench)).toHaveLength(3);
      for (const issue of [ONE, TWO, THREE]) failInTurn(bench, issue, kind);
      for (let tries = 0; tries < 40; tries += 1) {
        ring(bench, ONE, TWO, THREE, ...backlog);
        const [trial, ...others] = [...bench.state.claims.running.values()];
        expect(others).toEqual([]);
        if (trial === undefined) throw new Error("nobody tries");
        failInTurn(bench, trial.issue, kind);
      }
      expect(bench.state.claims.size).toBe(3);
      expect(bench.facts("parked")).toEqual([]);
      for (const issue of [ONE, TWO, THREE])
        expect(tallyOf(bench, issue)).toMatchObject({ runs: 0, failures: 0 });
    },
  );

  test("holds for half a minute at first, then twice as long each time, up to ten minutes", () => {
    const seconds = [0, 1, 2, 3, 4, 5, 50].map(
      (refusals) => (holdUntil(T0, refusals, "provider_overloaded") - T0) / SECOND,
    );
    expect(seconds).toEqual([30, 60, 120, 240, 480, 600, 600]);
  });

  test("is tried by each of the issues in turn: one that brings it about by itself does not hold the others for ever", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    bench.scan(ONE, TWO);
    expect(started(bench)).toEqual(["A-1"]);
    failInTurn(bench, ONE, "provider_overloaded");
    ring(bench, ONE, TWO);
    expect(started(bench)).toEqual(["A-2"]);
    inTurn(bench, TWO);
    answered(bench, TWO, 10);
    expect(holdOf(bench)).toBeNull();
  });

  test("is tried in turn by those that wait for it", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO, THREE, FOUR);
    started(bench);
    for (const issue of [ONE, TWO, THREE]) failInTurn(bench, issue, "provider_overloaded");
    const tried: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      ring(bench, ONE, TWO, THREE, FOUR);
      const [identifier = ""] = started(bench);
      tried.push(identifier);
      failInTurn(bench, madeIssue(identifier), "provider_overloaded");
    }
    expect(tried).toEqual(["A-1", "A-2", "A-3", "A-1", "A-2"]);
  });
});

describe("an issue that alone is refused, while others are answered", () => {
  test("is counted and tried again like any other failure, and holds nobody", () => {
    const bench = new Bench(madePolicy({ limits: { maxFailures: 2 } }));
    bench.scan(ONE, TWO);
    failInTurn(bench, ONE, "provider_overloaded");
    inTurn(bench, TWO);
    let used = 0;
    for (const failures of [1, 2]) {
      bench.pass(IN_FLIGHT_MS + SECOND);
      answered(bench, TWO, (used += 10));
      bench.answer(ONE);
      failInTurn(bench, ONE, "provider_overloaded");
      expect(tallyOf(bench, ONE)).toMatchObject({ failures });
      expect(holdOf(bench)).toBeNull();
    }
    expect(bench.claim(ONE)).toMatchObject({ phase: "parked", reason: "failing" });
  });

  test("is not counted by what the others were answered before, or were about to be", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    inTurn(bench, TWO);
    answered(bench, TWO, 10);
    failInTurn(bench, ONE, "provider_overloaded");
    bench.pass(SECOND);
    answered(bench, TWO, 20);
    expect(holdOf(bench)).not.toBeNull();
    ring(bench, ONE);
    failInTurn(bench, ONE, "provider_overloaded");
    expect(tallyOf(bench, ONE)).toMatchObject({ runs: 0, failures: 0 });
  });

  test("is not counted for a limit of the account, whoever else still gets through", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    failInTurn(bench, ONE, "usage_limit");
    inTurn(bench, TWO);
    bench.pass(IN_FLIGHT_MS + SECOND);
    answered(bench, TWO, 10);
    bench.answer(ONE);
    failInTurn(bench, ONE, "usage_limit");
    expect(tallyOf(bench, ONE)).toMatchObject({ runs: 0, failures: 0 });
  });
});

describe("a fault of the installation", () => {
  test.each(["root_unusable", "codex_not_found", "shell_timeout"] as const)(
    "(%s) holds the workflow with what to do about it, and costs no attempt",
    (kind) => {
      const bench = new Bench();
      bench.scan(ONE, TWO);
      fail(bench, ONE, kind, "Mend it.");
      expect(holdOf(bench)).toMatchObject({
        cause: "installation",
        kind,
        remedy: "Mend it.",
        why: `it was ${kind}`,
      });
      expect(bench.facts("held")).toMatchObject([{ cause: "installation", remedy: "Mend it." }]);
      expect(tallyOf(bench, ONE)).toMatchObject({ runs: 0, failures: 0 });
      expect(bench.claim(ONE)).toMatchObject({ phase: "waiting", held: true });
    },
  );

  test("ends when a run gets past it: its thread is opened", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    bench.scan(ONE, TWO);
    fail(bench, ONE, "root_unusable");
    ring(bench, ONE, TWO);
    expect(holdOf(bench)).toMatchObject({ trial: "r2" });
    bench.say({ ...bench.run(TWO), type: "opened", threadId: threadId("t-2"), resumed: false, why: null });
    expect(holdOf(bench)).toBeNull();
    expect(bench.claim(ONE)).toMatchObject({ retryAt: bench.now });
  });

  test("does not end, and stops nobody, while runs that had begun before go on", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    inTurn(bench, TWO);
    bench.take("turn");
    fail(bench, ONE, "root_unusable");
    checkedTurn(bench, TWO);
    expect(bench.take("turn")).toHaveLength(1);
    expect(holdOf(bench)).toMatchObject({ cause: "installation" });
  });
});

describe("a prompt that cannot be made", () => {
  test("of one ticket is that ticket's own: it is counted and tried again later, and the others go on", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    for (const failures of [1, 2]) {
      if (failures > 1) {
        bench.pass(10 * SECOND);
        bench.answer(ONE);
      }
      fail(bench, ONE, "template_render_error");
      expect(holdOf(bench)).toBeNull();
      expect(tallyOf(bench, ONE)).toMatchObject({ runs: failures, failures });
    }
    expect(bench.claim(ONE)).toMatchObject({ phase: "waiting", kind: "retry" });
    expect(bench.claim(TWO)).toMatchObject({ phase: "running" });
  });

  test("of three tickets in a row is nobody's", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO, THREE);
    for (const issue of [ONE, TWO, THREE]) fail(bench, issue, "template_render_error", "Correct it.");
    expect(holdOf(bench)).toMatchObject({ cause: "systemic", overBy: "opened", remedy: "Correct it." });
    expect(tallyOf(bench, ONE)).toMatchObject({ runs: 0, failures: 0 });
  });
});

describe("three different issues that fail alike in a row", () => {
  const failing = (kinds: readonly FailureKind[]): Bench => {
    const bench = new Bench(madePolicy({ agentsMax: 4 }));
    bench.scan(ONE, TWO, THREE, FOUR);
    [ONE, TWO, THREE].forEach((issue, n) =>
      fail(bench, issue, kinds[n % kinds.length] ?? "hook_failed", "Look."),
    );
    return bench;
  };

  test("hold the workflow, and get their attempts back", () => {
    const bench = failing(["hook_failed", "hook_timeout"]);
    expect(holdOf(bench)).toMatchObject({ cause: "systemic", overBy: "opened", remedy: "Look." });
    for (const issue of [ONE, TWO, THREE]) {
      expect(tallyOf(bench, issue)).toMatchObject({ runs: 0, failures: 0 });
      expect(bench.claim(issue)).toMatchObject({ phase: "waiting", held: true });
    }
    expect(bench.claim(FOUR)).toMatchObject({ phase: "running" });
  });

  test("three times are enough where there are fewer issues: a git host that is down parks nobody, a day later neither", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    fail(bench, ONE, "hook_failed");
    fail(bench, TWO, "hook_timeout");
    expect(holdOf(bench)).toBeNull();
    bench.pass(10 * SECOND);
    bench.answer(ONE, TWO);
    fail(bench, ONE, "hook_failed");
    expect(holdOf(bench)).toMatchObject({ cause: "systemic", overBy: "opened" });
    fail(bench, TWO, "hook_timeout");
    expect([ONE, TWO].map((issue) => tallyOf(bench, issue))).toMatchObject([
      { runs: 0, failures: 0 },
      { runs: 0, failures: 0 },
    ]);
    for (let n = 0; n < 150; n += 1) {
      ring(bench, ONE, TWO);
      for (const issue of [ONE, TWO])
        if (bench.claim(issue)?.phase === "running") fail(bench, issue, "hook_failed");
    }
    expect([ONE, TWO].map((issue) => bench.claim(issue)?.phase)).toEqual(["waiting", "waiting"]);
    ring(bench, ONE, TWO);
    const runs = [ONE, TWO].filter((issue) => bench.claim(issue)?.phase === "running");
    expect(runs).toHaveLength(1);
    for (const issue of runs) open(bench, issue);
    expect(holdOf(bench)).toBeNull();
    bench.answer(ONE, TWO);
    expect(bench.state.claims.running.size).toBe(2);
  });

  test("one alone is held for as well, until another gets further: then it is its own, and parked", () => {
    const bench = new Bench(madePolicy({ limits: { maxFailures: 4 } }));
    const failing = (): void => {
      bench.pass(10 * MINUTE);
      bench.answer(ONE);
      if (bench.claim(ONE)?.phase === "running") fail(bench, ONE, "hook_failed");
    };
    bench.scan(ONE);
    fail(bench, ONE, "hook_failed");
    failing();
    expect(holdOf(bench)).toBeNull();
    failing();
    expect(holdOf(bench)).toMatchObject({ cause: "systemic" });
    expect(tallyOf(bench, ONE)).toMatchObject({ runs: 0, failures: 0 });
    // A new one comes: it tries first, and gets further.
    bench.scan(ONE, TWO);
    ring(bench, ONE, TWO);
    inTurn(bench, TWO);
    expect(holdOf(bench)).toBeNull();
    bench.answer(ONE);
    fail(bench, ONE, "hook_failed");
    for (let n = 0; n < 3; n += 1) failing();
    expect(bench.claim(ONE)).toMatchObject({ phase: "parked", reason: "failing" });
  });

  test("of few are their own where another could tell, where an agent had begun, and where they are of no hook", () => {
    const failures = (kind: FailureKind, others: readonly Issue[], begun = false): Bench => {
      const bench = new Bench(madePolicy({ agentsMax: 1 }));
      bench.scan(ONE, ...others);
      for (let n = 0; n < 4; n += 1) {
        if (begun) inTurn(bench, ONE);
        fail(bench, ONE, kind);
        bench.answer(ONE, ...others);
        for (const other of others) if (bench.claim(other)?.phase === "running") exit(bench, other);
        bench.pass(5 * MINUTE);
        bench.answer(ONE, ...others);
        if (bench.claim(ONE)?.phase !== "running") break;
      }
      return bench;
    };
    expect(holdOf(failures("hook_failed", []))).not.toBeNull();
    expect(holdOf(failures("port_exit", []))).toBeNull();
    expect(holdOf(failures("hook_failed", [], true))).toBeNull();
    expect(holdOf(failures("hook_failed", [TWO]))).toBeNull();
  });

  test("are tried again by one run, whose failure of that kind counts for nothing; what comes further ends it", () => {
    const bench = failing(["hook_failed"]);
    fail(bench, FOUR, "hook_timeout");
    expect(tallyOf(bench, FOUR)).toMatchObject({ runs: 0, failures: 0 });
    started(bench);
    ring(bench, ONE, TWO, THREE, FOUR);
    expect(started(bench)).toEqual(["A-1"]);
    bench.say({ ...bench.run(ONE), type: "opened", threadId: threadId("t-1"), resumed: false, why: null });
    expect(holdOf(bench)).toBeNull();
  });

  test("by different kinds, or with a success between, are three failures", () => {
    expect(holdOf(failing(["hook_failed", "port_exit"]))).toBeNull();
    const bench = new Bench();
    bench.scan(ONE, TWO, THREE);
    fail(bench, ONE, "hook_failed");
    inTurn(bench, TWO);
    fail(bench, TWO, "hook_failed");
    fail(bench, THREE, "hook_failed");
    expect(holdOf(bench)).toBeNull();
    expect(tallyOf(bench, ONE)).toMatchObject({ runs: 1, failures: 1 });
  });

  test("in the middle of their turns hold until a turn is completed", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO, THREE);
    for (const issue of [ONE, TWO, THREE]) failInTurn(bench, issue, "port_exit");
    ring(bench, ONE, TWO, THREE);
    inTurn(bench, ONE);
    answered(bench, ONE, 10);
    expect(holdOf(bench)).toMatchObject({ cause: "systemic", overBy: "completed" });
    completeTurn(bench, ONE);
    expect(holdOf(bench)).toBeNull();
  });

  test("that asked for a person are parked, each for itself", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO, THREE);
    for (const issue of [ONE, TWO, THREE]) failInTurn(bench, issue, "approval_required");
    expect(holdOf(bench)).toBeNull();
    expect(bench.facts("parked")).toHaveLength(3);
  });
});

describe("a hold of a provider", () => {
  test("ends with the first tokens of the run that tries: no turn has to be completed for it", () => {
    const bench = new Bench();
    bench.scan(ONE);
    exit(bench, ONE, ["usage_limit", "used up"]);
    ring(bench, ONE);
    inTurn(bench, ONE);
    bench.say({ ...bench.run(ONE), type: "turn_started", turnId: turnId("u-2") });
    expect(holdOf(bench)).not.toBeNull();
    answered(bench, ONE, 10);
    expect(holdOf(bench)).toBeNull();
    expect(bench.facts("hold_ended")).toHaveLength(1);
  });

  test("ends with tokens of any run, unless they may be of before it refused", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    inTurn(bench, TWO);
    exit(bench, ONE, ["usage_limit", "used up"]);
    bench.pass(SECOND);
    answered(bench, TWO, 10);
    expect(holdOf(bench)).not.toBeNull();
    bench.pass(IN_FLIGHT_MS);
    answered(bench, TWO, 10);
    expect(holdOf(bench)).not.toBeNull();
    answered(bench, TWO, 20);
    expect(holdOf(bench)).toBeNull();
    expect(bench.claim(ONE)).toMatchObject({ retryAt: bench.now });
  });

  test("for a limit of the account lasts five minutes, then twice as long each time, up to an hour", () => {
    const minutes = [0, 1, 2, 3, 4, 50].map(
      (refusals) => (holdUntil(T0, refusals, "rate_limited") - T0) / MINUTE,
    );
    expect(minutes).toEqual([5, 10, 20, 40, 60, 60]);
    expect(HOLD_MAX_MS).toBe(60 * MINUTE);
  });

  test("that is a short guess gives way to a longer one, and not the other way round", () => {
    const both = (first: FailureKind, second: FailureKind): Hold | null => {
      const bench = new Bench();
      bench.scan(ONE, TWO);
      failInTurn(bench, ONE, first);
      failInTurn(bench, TWO, second);
      return holdOf(bench);
    };
    for (const hold of [
      both("provider_overloaded", "unauthorized"),
      both("unauthorized", "provider_overloaded"),
    ])
      expect(hold).toMatchObject({ kind: "unauthorized", remedy: expect.stringContaining("codex login") });
  });
});
