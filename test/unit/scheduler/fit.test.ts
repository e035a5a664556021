import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { instant } from "../../../src/domain/time.ts";
import { nextDeadline } from "../../../src/scheduler/decide.ts";
import { explain } from "../../../src/scheduler/explain.ts";
import { FIT_WAIT_MS } from "../../../src/scheduler/fit.ts";
import { IN_FLIGHT_MS } from "../../../src/scheduler/signs.ts";
import type { Hold } from "../../../src/scheduler/state.ts";
import { Bench, madeIssue, madePolicy, W } from "./made.ts";
import { completeTurn, inTurn, open } from "./played.ts";

const MINUTE = 60_000;
const LACKS = { why: "Codex 0.98.0 lacks the request turn/steer.", remedy: "Install another one." };
const [ONE, TWO, THREE] = [madeIssue("A-1"), madeIssue("A-2"), madeIssue("A-3")] as const;

const bench = (program: string | null = "p1"): Bench => new Bench(madePolicy({ codexProgram: program }));
const holdOf = ({ state }: Bench): Hold | null => state.workflows.get(W)?.hold ?? null;
const started = (of: Bench): readonly string[] => of.take("start").map(({ issue }) => issue.identifier);
const looks = (of: Bench): readonly string[] => of.take("examine").map(({ program }) => program);

const seen = (of: Bench, lacks: typeof LACKS | null = null, { program = "p1", again = true } = {}): void =>
  void of.say({ type: "examined", workflow: W, program, lacks, again });

describe("a command that comes into force", () => {
  test("is looked at once, and nothing starts before the answer", () => {
    const of = bench();
    expect(looks(of)).toEqual(["p1"]);
    of.scan(ONE);
    of.pass(1_000);
    expect(started(of)).toEqual([]);
    expect(looks(of)).toEqual([]);
    seen(of);
    of.answer(ONE);
    expect(started(of)).toEqual(["A-1"]);
  });

  test("is not waited for longer than a bound, and the answer counts when it comes", () => {
    const of = bench();
    of.scan(ONE);
    expect(nextDeadline(of.state, of.now)).toBe(of.now + FIT_WAIT_MS);
    of.pass(FIT_WAIT_MS);
    of.answer(ONE);
    expect(started(of)).toEqual(["A-1"]);
    seen(of, LACKS);
    expect(holdOf(of)).toMatchObject({ kind: "codex_unfit" });
  });

  test("is looked at anew when a reload names another, and not when it changes something else", () => {
    const of = bench();
    seen(of);
    looks(of);
    of.say({ type: "configured", policy: madePolicy({ codexProgram: "p1", hash: "h2" }) });
    expect(looks(of)).toEqual([]);
    of.say({ type: "configured", policy: madePolicy({ codexProgram: "p2", hash: "h3" }) });
    expect(looks(of)).toEqual(["p2"]);
    // Asked of the one before.
    seen(of, LACKS);
    expect(holdOf(of)).toBeNull();
    of.scan(ONE);
    expect(started(of)).toEqual([]);
    seen(of, null, { program: "p2" });
    of.answer(ONE);
    expect(started(of)).toEqual(["A-1"]);
  });

  test("is not looked at where nobody wants it, nor again where that would show nothing new", () => {
    expect(looks(bench(null))).toEqual([]);
    const of = bench();
    looks(of);
    seen(of, null, { program: "p1", again: false });
    of.pass(60 * MINUTE);
    expect(looks(of)).toEqual([]);
  });

  test("is looked at again every ten minutes: it may have been replaced", () => {
    const of = bench();
    looks(of);
    seen(of);
    of.pass(10 * MINUTE - 1);
    expect(looks(of)).toEqual([]);
    of.pass(1);
    expect(looks(of)).toEqual(["p1"]);
    of.scan(ONE);
    expect(started(of)).toEqual(["A-1"]);
    seen(of, LACKS);
    expect(holdOf(of)).toMatchObject({ cause: "installation", kind: "codex_unfit", ...LACKS });
  });

  test("is not looked at by a daemon that takes no new work", () => {
    const of = bench();
    of.scan(ONE);
    looks(of);
    seen(of);
    of.answer(ONE);
    of.order({ type: "drain", why: "an upgrade" });
    of.pass(60 * MINUTE);
    expect(looks(of)).toEqual([]);
  });
});

describe("a Codex that lacks something", () => {
  const held = (): Bench => {
    const of = bench();
    looks(of);
    seen(of, LACKS);
    of.scan(ONE, TWO);
    return of;
  };

  test("holds its workflow, says what it lacks and what to do once, and every gate says so", () => {
    const of = held();
    expect(started(of)).toEqual([]);
    expect(of.facts("held")).toMatchObject([{ ...LACKS, cause: "installation", until: null }]);
    const { verdict, gates } = explain(of.state, { workflow: W, id: ONE.id, issue: ONE }, of.now);
    expect(verdict).toContain(LACKS.why.replace(/\.$/, ""));
    expect(gates.find(({ name }) => name === "hold")).toMatchObject({ open: false, opensAt: null });
  });

  test("is looked at again after half a minute, then twice as long each time, up to ten; no run is spent on it", () => {
    const of = held();
    const waits: number[] = [];
    for (let times = 0; times < 8; times += 1) {
      const before = of.now;
      of.pass((holdOf(of)?.until ?? 0) - of.now);
      waits.push((of.now - before) / 1_000);
      expect(looks(of)).toEqual(["p1"]);
      seen(of, LACKS);
      of.scan(ONE, TWO);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
    expect(started(of)).toEqual([]);
    expect(of.facts("held")).toHaveLength(1);
  });

  test("stays held while it is looked at again, however long that takes", () => {
    const of = held();
    of.pass(30_000);
    expect(looks(of)).toEqual(["p1"]);
    of.pass(5 * MINUTE);
    of.scan(ONE, TWO);
    expect([...started(of), ...looks(of)]).toEqual([]);
    const { gates } = explain(of.state, { workflow: W, id: ONE.id, issue: ONE }, of.now);
    expect(gates.find(({ name }) => name === "hold")).toMatchObject({ open: false });
  });

  test("that is replaced by one that has it goes on by itself, as does one of which nothing can be known", () => {
    const of = held();
    of.pass(30_000);
    seen(of, null, { program: "p1", again: false });
    expect(holdOf(of)).toBeNull();
    expect(of.facts("hold_ended")).toHaveLength(1);
    of.answer(ONE, TWO);
    expect(started(of)).toEqual(["A-1", "A-2"]);
  });

  test("that is replaced by one that lacks something else is said again", () => {
    const of = held();
    seen(of, { ...LACKS, why: "Codex 0.90.0 lacks more." });
    expect(of.facts("held")).toHaveLength(2);
  });

  test.each<[string, (of: Bench) => unknown]>([
    ["somebody resumes the workflow", (of) => of.order({ type: "resume", scope: W })],
    [
      "its settings are other ones",
      (of) => of.say({ type: "configured", policy: madePolicy({ codexProgram: "p1", hash: "h2" }) }),
    ],
  ])("is looked at now when %s", (_what, deed) => {
    const of = held();
    deed(of);
    expect(looks(of)).toEqual(["p1"]);
    expect(started(of)).toEqual([]);
    expect(of.facts("trial_due")).toMatchObject([{ by: "look" }]);
  });

  test("stays held whatever the runs come to that began before", () => {
    const of = bench();
    seen(of);
    of.scan(ONE, TWO, THREE);
    started(of);
    seen(of, LACKS);
    const before = holdOf(of);
    inTurn(of, ONE);
    of.say({
      ...of.run(TWO),
      type: "exited",
      failure: failure("usage_limit", "used up", { resetsAt: of.now + MINUTE }),
      changed: null,
    });
    expect(holdOf(of)).toEqual(before);
    of.pass(IN_FLIGHT_MS + 1);
    seen(of, LACKS);
    completeTurn(of, ONE);
    open(of, THREE);
    expect(holdOf(of)).toMatchObject({ kind: "codex_unfit", since: before?.since });
  });

  test("takes the place of another hold: no run could find out whether that one is over", () => {
    const of = bench();
    seen(of);
    of.scan(ONE);
    of.say({ ...of.run(ONE), type: "exited", failure: failure("unauthorized", "no key"), changed: null });
    expect(holdOf(of)).toMatchObject({ cause: "provider" });
    const since = instant(of.now + 5);
    of.pass(5);
    seen(of, LACKS);
    expect(holdOf(of)).toMatchObject({ cause: "installation", since, trial: null });
    seen(of);
    expect(holdOf(of)).toBeNull();
    of.answer(ONE);
    expect(started(of)).toEqual(["A-1", "A-1"]);
  });
});
