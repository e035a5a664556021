import { expect, test } from "vitest";
import { stateOf } from "../../../src/cli/why.ts";
import type { WorkflowBeat } from "../../../src/ledger/heartbeat.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { explain } from "../../../src/scheduler/explain.ts";
import { madeHold, madeIssue } from "../scheduler/made.ts";
import { withLines, workflowOf } from "../workflow/parsing.ts";
import { ago, now } from "./history.ts";

const workflow = workflowOf(withLines(""));
const { name } = workflow.settings;
const ISSUE = madeIssue("A-1");
const again = ago(-1);

const told = (more: Partial<WorkflowBeat> = {}): WorkflowBeat => ({
  name,
  path: workflow.path,
  pollIntervalMs: 30_000,
  scannedAt: ago(1),
  scanError: null,
  broken: null,
  diskLow: null,
  unanswered: null,
  limited: false,
  counts: null,
  ...more,
});

/** What a live daemon that tells this of the workflow makes of the issue. */
function gatesOf(of: WorkflowBeat, holds: ReadonlyMap<typeof name, ReturnType<typeof madeHold>> = new Map()) {
  const holder = { pid: 42, since: new Date(ago(90)).toISOString(), workflows: [workflow.path] };
  const beat = { pid: 42, phase: "serving", stuck: null, workflows: [of] } as const;
  const server = {
    health: { state: "serving", reasons: [] },
    holder,
    heartbeat: { at: now, beat },
  } as const;
  const state = stateOf({ ...new MemoryLedger().load(), holds }, server, [workflow], now);
  const { gates } = explain(state, { workflow: name, id: ISSUE.id, issue: ISSUE }, now);
  return (wanted: string) => gates.find((gate) => gate.name === wanted);
}

test("that a ticket is put off is known from the daemon's sign of life, and when it is asked for again", () => {
  const doubts = [{ id: ISSUE.id, why: "HTTP 500", times: 2, again }];
  expect(gatesOf(told())("look")).toMatchObject({ open: true });
  expect(gatesOf(told({ doubts }))("look")).toMatchObject({ open: false, opensAt: again });
  expect(gatesOf(told({ looks: { until: again, why: "used up" } }))("look")).toMatchObject({
    open: false,
    value: "used up",
    opensAt: again,
  });
});

test("a live daemon has the hold that it wrote down, whatever the file that is read here would make of it", () => {
  const hold = madeHold({ until: again, under: "settings that a reload has not brought yet" });
  expect(gatesOf(told(), new Map([[name, hold]]))("hold")).toMatchObject({ open: false, opensAt: again });
});
