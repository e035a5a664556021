import { expect, test } from "vitest";
import { unsettledCalls } from "../../../src/daemon/unsettled.ts";
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId } from "../../../src/domain/run.ts";
import type { RunRow, TimelineRow } from "../../../src/ledger/port.ts";
import { unsettledNote } from "../../../src/workflow/workflow.ts";
import { T0 } from "../scheduler/made.ts";

const [now, before, long] = [runId("r3"), runId("r2"), runId("r1")];

const started = (callId: string): FactBody => ({
  type: "tool_started",
  tool: "linear_graphql",
  callId,
  operation: null,
  fields: ["commentCreate"],
  ids: [],
  newIds: [`id-of-${callId}`],
});

const called = (callId: string, more: { ok: boolean; unknown?: true }): FactBody => ({
  type: "tool_called",
  tool: "linear_graphql",
  callId,
  operation: null,
  fields: ["commentCreate"],
  ids: [],
  complexity: null,
  error: null,
  tookMs: 1,
  ...more,
});

/** The ids of what may have been created, after a run with these facts. */
function after(facts: readonly FactBody[], runs = [now, before, long]): readonly string[] {
  const ledger = {
    runs: ({ limit }: { limit: number }) => runs.slice(0, limit).map((id) => ({ id }) as RunRow),
    timeline: ([of]: readonly string[]): readonly TimelineRow[] =>
      of === before
        ? facts.map((fact) => ({ at: T0, runId: before, fact: { ...fact, at: T0 } as Fact }))
        : [],
  };
  return unsettledCalls(ledger, issueId("i"), now).flatMap(({ newIds }) => newIds);
}

test("a call that went out and was never heard of again is in doubt", () => {
  expect(after([started("a"), called("a", { ok: true }), started("b")])).toEqual(["id-of-b"]);
});

test("so is one whose answer was lost", () => {
  expect(after([started("a"), called("a", { ok: false, unknown: true })])).toEqual(["id-of-a"]);
});

test("a call that failed is not", () => {
  expect(after([started("a"), called("a", { ok: false })])).toEqual([]);
});

test("a first run has nothing to doubt", () => {
  expect(after([started("a")], [now])).toEqual([]);
});

test("the agent is told what is in doubt, and how to find out", () => {
  const note = unsettledNote([
    { fields: ["commentCreate"], newIds: ["0b0a"] },
    { fields: ["issueUpdate"], newIds: [] },
  ]);
  expect(note).toContain("- commentCreate (what it creates has the id 0b0a)\n- issueUpdate\n");
});
