import { expect, test } from "vitest";
import { doneBefore } from "../../../src/daemon/hand-over.ts";
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { at, ended, opened, run, stalled, started, turnStarted } from "../../contract/ledger-records.ts";

const first = run(1);
const second = run(2, { issueId: first.issueId, identifier: first.identifier });
const third = run(3, { issueId: first.issueId, identifier: first.identifier });

const ran = (exitCode: number): FactBody => ({
  type: "command_ran",
  command: "npm test",
  status: "completed",
  exitCode,
  tookMs: 1,
  output: "",
});
const changed = (...paths: readonly string[]): FactBody => ({
  type: "files_changed",
  status: "completed",
  paths,
});
const said = (message: string | null): FactBody => ({
  type: "turn_ended",
  turn: 1,
  status: "completed",
  failure: null,
  message,
});

function ledgerOf(...facts: readonly FactBody[]): MemoryLedger {
  const ledger = new MemoryLedger();
  const told = facts.map((body): Fact => ({ ...body, runId: first.id, at: at(1) }));
  ledger.commit([started(first), opened(first), turnStarted(first, 1), ended(first, stalled)], told);
  ledger.commit([started(second)], []);
  return ledger;
}

test("what was done is told by the ledger: runs, the last message, files and commands", () => {
  const ledger = ledgerOf(
    ran(0),
    changed("a.ts", "b.ts"),
    said("Half of it."),
    ran(1),
    changed("a.ts"),
    said(null),
  );
  expect(doneBefore(ledger, first.issueId, second.id)).toEqual({
    runs: [
      {
        id: "r1",
        startedAt: first.startedAt,
        turns: 2,
        outcome: "stalled",
        why: "The agent said nothing for 5 minutes.",
      },
    ],
    lastMessage: "Half of it.",
    files: ["b.ts", "a.ts"],
    commands: 2,
    failedCommands: 1,
  });
});

test("where no agent has had a turn, there is nothing to hand over", () => {
  const ledger = new MemoryLedger();
  expect(doneBefore(ledger, first.issueId, first.id)).toBeNull();
  ledger.commit([started(third), { ...ended(third), turns: 0 } as ReturnType<typeof ended>], []);
  expect(doneBefore(ledger, first.issueId, second.id)).toBeNull();
});
