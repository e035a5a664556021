/** What every ledger promises; run against SQLite and against the fake, so that the fake cannot drift. */
import { madeHold } from "../unit/scheduler/made.ts";
import { LedgerError } from "../../src/ledger/ledger-error.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact } from "../../src/domain/fact.ts";
import { type IssueId, issueId } from "../../src/domain/issue.ts";
import { noTokens, runId, threadId, workflowName } from "../../src/domain/run.ts";
import { instant } from "../../src/domain/time.ts";
import type { Ledger, RunFilter } from "../../src/ledger/port.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Refusal } from "../../src/scheduler/state.ts";
import { aClaim, aTally } from "./ledger-shapes.ts";
import {
  at,
  completed,
  ended,
  issue,
  launched,
  opened,
  run,
  running,
  said,
  stalled,
  started,
  tallied,
  tally,
  tokens,
  turnEnded,
  turnStarted,
  used,
} from "./ledger-records.ts";

/** A ledger that begins empty; `reopen` closes it and opens what it left behind. */
export interface LedgerUnderTest {
  readonly ledger: Ledger;
  reopen(): Ledger;
}

export function ledgerSuite(make: () => LedgerUnderTest): void {
  const one = run(1);
  const wholeRun: readonly LedgerRecord[] = [
    tallied(1),
    { type: "claim", claim: running(one), at: at(1) },
    started(one),
    launched(one),
    opened(one),
    turnStarted(one, 1),
    used(one, 100),
    turnEnded(one, 1),
    ended(one, stalled, tokens(100)),
  ];

  test("an empty ledger has nothing to tell", () => {
    const { ledger } = make();
    expect(ledger.load()).toEqual({
      claims: [],
      tallies: new Map(),
      installation: expect.stringMatching(/./),
      runsEver: 0,
      holds: new Map(),
      pauses: new Map(),
      refusals: new Map(),
      spent: { day: 0, tokens: 0 },
      open: [],
    });
    expect(ledger.runs({ limit: 9 })).toEqual([]);
    expect(ledger.run("r1")).toBeNull();
    expect(ledger.issue("MT-1")).toBeNull();
    expect(ledger.timeline([one.id], 9)).toEqual([]);
  });

  test("what each turn was given comes back in order, and nothing of a turn that nobody knows it of", () => {
    const { ledger } = make();
    const begun: readonly LedgerRecord[] = [started(one), opened(one)];
    ledger.commit([...begun, turnStarted(one, 1, "Do it.")], []);
    ledger.commit([turnStarted(one, 1, "Do it twice."), turnStarted(one, 2, "Go on.")], []);
    ledger.commit([turnStarted(one, 3)], []);
    expect(ledger.told(one.id)).toEqual([
      { turn: 1, at: at(1), text: "Do it." },
      { turn: 2, at: at(2), text: "Go on." },
      { turn: 3, at: at(3), text: null },
    ]);
    expect(ledger.told(run(9).id)).toEqual([]);
  });

  test("a hold and a pause come back as they were, until they are ended", () => {
    const { ledger } = make();
    const workflow = workflowName("main");
    const hold = madeHold({
      why: "used up",
      until: instant(5_000),
      refusals: 2,
      trial: runId("r9"),
      under: "c1",
    });
    const pause = { why: "freeze", since: instant(1), until: null };
    ledger.commit(
      [
        { type: "hold", workflow, hold },
        { type: "pause", scope: "*", pause },
      ],
      [],
    );
    expect(ledger.load().holds).toEqual(new Map([[workflow, hold]]));
    expect(ledger.load().pauses).toEqual(new Map([["*", pause]]));
    ledger.commit(
      [
        { type: "hold", workflow, hold: null },
        { type: "pause", scope: "*", pause: null },
      ],
      [],
    );
    expect([ledger.load().holds.size, ledger.load().pauses.size]).toEqual([0, 0]);
  });

  test("refusals come back as they were said last, until there is none", () => {
    const { ledger } = make();
    const workflow = workflowName("main");
    const refusal = (blockers: readonly string[]) => ({
      at: instant(5),
      state: "Todo",
      updatedAt: instant(4),
      blockers,
    });
    const last = new Map<IssueId, Refusal>([
      [one.issueId, refusal(["b-1", "b-2"])],
      [run(2).issueId, { ...refusal([]), updatedAt: null }],
    ]);
    for (const refusals of [new Map([[one.issueId, refusal([])]]), last])
      ledger.commit([{ type: "refusals", workflow, refusals }], []);
    expect(ledger.load().refusals).toEqual(new Map([[workflow, last]]));
    ledger.commit([{ type: "refusals", workflow, refusals: new Map() }], []);
    expect(ledger.load().refusals).toEqual(new Map());
  });

  test("a claim and a tally of any shape come back exactly as they were", () => {
    const kept = fc.uniqueArray(fc.record({ claim: aClaim, counters: aTally }), {
      minLength: 30,
      maxLength: 60,
      selector: ({ claim }) => claim.issue.id,
    });
    fc.assert(
      fc.property(kept, (all) => {
        const under = make();
        const records = all.flatMap(({ claim, counters }): LedgerRecord[] => [
          { type: "claim", claim, at: at(1) },
          { type: "tally", issueId: claim.issue.id, identifier: claim.issue.identifier, tally: counters },
        ]);
        under.ledger.commit(records, []);
        const saved = under.reopen().load();
        expect(saved.claims).toEqual(all.map(({ claim }) => claim));
        expect(saved.tallies).toEqual(new Map(all.map(({ claim, counters }) => [claim.issue.id, counters])));
      }),
      { numRuns: 5, seed: 7 },
    );
  });

  test("a claim that changes phase replaces the one before; an unclaimed issue has none", () => {
    const under = make();
    under.ledger.commit([{ type: "claim", claim: running(one), at: at(1) }], []);
    const { workflow, issue: of } = running(one);
    const parked = {
      workflow,
      issue: of,
      phase: "parked",
      reason: "failing",
      why: "w",
      wayOut: "r",
    } as const;
    under.ledger.commit([{ type: "claim", claim: { ...parked, since: at(2) }, at: at(2) }], []);
    expect(under.ledger.load().claims).toEqual([{ ...parked, since: at(2) }]);
    under.ledger.commit([{ type: "unclaim", issueId: of.id }], []);
    expect(under.reopen().load().claims).toEqual([]);
  });

  test("a run that was open when the process died is found again, with what it takes to find its process", () => {
    const under = make();
    under.ledger.commit([started(one), launched(one), opened(one)], []);
    under.ledger.commit([turnStarted(one, 1), used(one, 100)], []);
    expect(under.reopen().load()).toMatchObject({
      runsEver: 1,
      open: [
        {
          runId: one.id,
          issueId: one.issueId,
          identifier: "MT-1",
          workflow: "main",
          startedAt: at(1),
          pid: 4_321,
          startTicks: 99_000,
          workspace: "/srv/work/MT-1",
          thread: "thread-1",
          turns: 1,
          tokens: tokens(100),
          threadTotal: tokens(100),
        },
      ],
    });
  });

  test("a run's row tells its whole story", () => {
    const under = make();
    under.ledger.commit(wholeRun, []);
    expect(under.reopen().run("r1")).toEqual({
      id: "r1",
      workflow: "main",
      issueId: "issue-1",
      identifier: "MT-1",
      title: "Ticket 1",
      attempt: null,
      kind: "first",
      ending: stalled,
      startedAt: at(1),
      endedAt: at(60),
      turns: 2,
      thread: "thread-1",
      workspace: "/srv/work/MT-1",
      tokens: tokens(100),
      workflowHash: "hash-1",
    });
  });

  test("repeating any record changes nothing", () => {
    const { ledger } = make();
    ledger.commit(wholeRun, []);
    const before = [ledger.load(), ledger.runs({ limit: 9 }), ledger.issue("MT-1")];
    for (const record of wholeRun) ledger.commit([record], []);
    ledger.commit(wholeRun, []);
    expect([ledger.load(), ledger.runs({ limit: 9 }), ledger.issue("MT-1")]).toEqual(before);
  });

  test("a run has one outcome: news after its end changes nothing", () => {
    const { ledger } = make();
    ledger.commit(wholeRun, []);
    const before = ledger.run("r1");
    const late: LedgerRecord[] = [
      { ...launched(one), pid: 1, workspace: "/elsewhere" } as LedgerRecord,
      opened(one, "thread-2"),
      turnStarted(one, 7),
      used(one, 900),
      ended(one, completed),
    ];
    for (const record of late) ledger.commit([record], []);
    expect(ledger.run("r1")).toEqual(before);
  });

  test("an issue never has two open runs, and the refused step leaves no trace", () => {
    const { ledger } = make();
    const second = run(2, { issueId: one.issueId, identifier: one.identifier });
    ledger.commit([started(one)], []);
    const both = (): void => ledger.commit([tallied(9), started(second)], [said("hello", one)]);
    expect(both).toThrow(LedgerError);
    expect(both).toThrow(expect.objectContaining({ kind: "inconsistent" }));
    expect(ledger.load().tallies.size).toBe(0);
    expect(ledger.timeline([one.id], 9)).toEqual([]);
    ledger.commit([ended(one), started(second)], []);
    expect(ledger.load().open.map((open) => open.runId)).toEqual(["r2"]);
  });

  test("news of a run that was never recorded is refused", () => {
    const { ledger } = make();
    for (const record of [launched(one), opened(one), turnStarted(one, 1), used(one, 5), ended(one)]) {
      expect(() => ledger.commit([record], [])).toThrow(/names run r1, which is not in the ledger/);
    }
  });

  test("token marks only rise, whatever order the reports come in", () => {
    const { ledger } = make();
    ledger.commit([started(one), opened(one), used(one, 100), used(one, 60)], []);
    expect(ledger.load().open[0]).toMatchObject({ tokens: tokens(100), threadTotal: tokens(100) });
    const mixed = { ...noTokens, input: 150, total: 150 };
    ledger.commit([{ ...used(one, 0), total: mixed } as LedgerRecord], []);
    expect(ledger.load().open[0]?.threadTotal).toEqual({ ...tokens(100), input: 150, total: 150 });
    ledger.commit([ended(one, completed, tokens(40))], []);
    expect(ledger.run("r1")?.tokens).toEqual(tokens(100));
  });

  test("a run has at least as many turns as were started", () => {
    const { ledger } = make();
    ledger.commit([started(one), ...[1, 2, 3].map((number) => turnStarted(one, number)), ended(one)], []);
    expect(ledger.run("r1")?.turns).toBe(3);
  });

  test("a later run on the same thread goes on from the thread's mark", () => {
    const { ledger } = make();
    ledger.commit([started(one), opened(one), used(one, 100), ended(one)], []);
    const next = run(2, { issueId: one.issueId, identifier: one.identifier });
    ledger.commit([started(next), opened(next)], []);
    expect(ledger.load().open[0]).toMatchObject({ tokens: noTokens, threadTotal: tokens(100) });
  });

  test("the mark of any thread can be asked for, and that of an unknown one is none", () => {
    const { ledger } = make();
    const child = { ...used(one, 100), threadId: threadId("child"), total: tokens(70) } as LedgerRecord;
    ledger.commit([started(one), opened(one), used(one, 30), child, ended(one)], []);
    expect(ledger.mark(threadId("child"))).toEqual(tokens(70));
    expect(ledger.mark(threadId("nobody"))).toEqual(noTokens);
  });

  test("runs are listed newest first and filtered by issue, workflow and outcome", () => {
    const { ledger } = make();
    const again = run(4, { issueId: one.issueId, identifier: one.identifier });
    const other = run(3, { workflow: "other" as typeof one.workflow });
    for (const of of [one, run(2), other])
      ledger.commit([started(of), ended(of, of.id === "r2" ? stalled : completed)], []);
    ledger.commit([started(again)], []);
    const ids = (filter: Omit<RunFilter, "limit">, limit = 9): string[] =>
      ledger.runs({ ...filter, limit }).map(({ id }) => id);
    expect(ids({})).toEqual(["r4", "r3", "r2", "r1"]);
    expect(ids({}, 2)).toEqual(["r4", "r3"]);
    expect(ids({ issue: "mt-1" })).toEqual(["r4", "r1"]);
    expect(ids({ issue: "issue-1" })).toEqual(["r4", "r1"]);
    expect(ids({ workflow: "other" })).toEqual(["r3"]);
    expect(ids({ outcome: "stalled" })).toEqual(["r2"]);
    expect(ids({ outcome: "running" })).toEqual(["r4"]);
    expect(ids({ issue: "MT-1", outcome: "completed" })).toEqual(["r1"]);
    expect(ids({ issue: "MT-99" })).toEqual([]);
  });

  test("a run is found by its id, or by a prefix of at least four characters that fits only it", () => {
    const { ledger } = make();
    for (const [n, id] of ["r1000", "r1001", "r100"].entries())
      ledger.commit([started(run(n, { id: runId(id) }))], []);
    ledger.commit([started(run(7, { id: runId("abcdef") }))], []);
    expect(ledger.run("r100")?.id).toBe("r100");
    expect(ledger.run("r1001")?.id).toBe("r1001");
    expect(ledger.run("abcd")?.id).toBe("abcdef");
    ledger.commit([started(run(8, { id: runId("abcdxy") }))], []);
    expect(ledger.run("abcd")).toBeNull();
    expect(ledger.run("abcde")?.id).toBe("abcdef");
    expect(ledger.run("abc")).toBeNull();
    expect(ledger.run("abc%")).toBeNull();
    expect(ledger.run("r10")).toBeNull();
  });

  test("the number of the last run ever is known after a restart", () => {
    const under = make();
    for (const n of [9, 10, 2]) under.ledger.commit([started(run(n)), ended(run(n))], []);
    expect(under.reopen().load().runsEver).toBe(10);
  });

  test("facts keep their order, whether they were appended or committed", () => {
    const under = make();
    const { ledger } = under;
    ledger.append(said("1", one));
    ledger.append(said("2", one));
    ledger.commit([started(one)], [said("3", one)]);
    ledger.append(said("4", one));
    ledger.commit([], [said("5", one)]);
    ledger.append(said("6", one));
    const texts = (from: Ledger, limit = 99): unknown[] =>
      from.timeline([one.id], limit).map(({ fact }) => (fact.type === "agent_said" ? fact.text : fact.type));
    expect(texts(ledger)).toEqual(["1", "2", "3", "4", "5", "6"]);
    ledger.append(said("7", one));
    expect(texts(under.reopen())).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  });

  test("a timeline holds the facts of the runs asked for, the last ones when there are too many", () => {
    const { ledger } = make();
    for (const text of ["a", "b", "c"]) ledger.append(said(text, one));
    ledger.append(said("d", run(2)));
    ledger.append(said("e"));
    expect(ledger.timeline([one.id, run(2).id], 2)).toEqual([
      { at: at(5), runId: "r1", fact: said("c", one) },
      { at: at(5), runId: "r2", fact: said("d", run(2)) },
    ]);
    expect(ledger.timeline([one.id], 9)).toHaveLength(3);
  });

  test("what happened lately is apart from any run, since then, the last ones when there are too many", () => {
    const { ledger } = make();
    const warned = (message: string, when: number): Fact => ({ type: "warning", message, at: at(when) });
    ledger.append(said("of a run", one));
    for (const [message, when] of [
      ["a", 1],
      ["b", 2],
      ["c", 3],
      ["d", 4],
    ] as const)
      ledger.append(warned(message, when));
    const messages = (since: number, limit: number): unknown[] =>
      ledger.lately(at(since), limit).map(({ fact }) => ("message" in fact ? fact.message : fact.type));
    expect(messages(2, 9)).toEqual(["b", "c", "d"]);
    expect(messages(2, 2)).toEqual(["c", "d"]);
  });

  test("an issue is found by id or identifier, in any case, by the one that has it now", () => {
    const { ledger } = make();
    const { issue: of } = running(one);
    ledger.commit([{ type: "claim", claim: running(one), at: at(1) }, tallied(1)], []);
    expect(ledger.issue("mt-1")).toEqual({
      issueId: "issue-1",
      identifier: "MT-1",
      title: of.title,
      state: of.state,
      url: of.url,
      claim: running(one),
      tally,
    });
    const moved = { ...running(one), issue: { ...of, id: issueId("issue-x") } };
    ledger.commit([{ type: "claim", claim: moved, at: at(9) }], []);
    expect(ledger.issue("MT-1")?.issueId).toBe("issue-x");
    expect(ledger.issue("issue-1")?.tally).toEqual(tally);
    expect(ledger.issue(issue(7).id)).toBeNull();
  });

  test("closing twice is closing once", () => {
    const { ledger } = make();
    ledger.close();
    ledger.close();
  });
}
