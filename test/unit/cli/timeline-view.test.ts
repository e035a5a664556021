import { expect, test } from "vitest";
import { failureLines, timelineLines, timelineView } from "../../../src/cli/timeline-view.ts";
import type { FactBody } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens } from "../../../src/domain/run.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import { fact, r3, writeHistory } from "./history.ts";

const ledger = new MemoryLedger();
writeHistory(ledger);
const run = ledger.run("r3") ?? expect.fail("r3 is missing");
const look = { columns: null, paint: unpainted, verbose: false };
const rows = (...bodies: readonly FactBody[]) =>
  bodies.map((body, n) => {
    const one = fact(r3, n, body);
    return { at: one.at, runId: run.id, fact: one };
  });
const used = (total: number): FactBody => ({ type: "usage", total: { ...noTokens, total } });
const ended = (turn: number): FactBody => ({
  type: "turn_ended",
  turn,
  status: "completed",
  failure: null,
  message: null,
});

test("each turn shows what it used itself, of a total that runs on", () => {
  const lines = timelineLines(
    run,
    rows(
      { type: "turn_started", turn: 1 },
      used(100),
      ended(1),
      { type: "turn_started", turn: 2 },
      used(130),
      ended(2),
    ),
    look,
  );
  expect(
    lines.filter((line) => line.includes("completed")).map((line) => /\((\d+) tokens\)/.exec(line)?.[1]),
  ).toEqual(["100", "30"]);
});

test("what only a fault-finder wants to see is shown when it is asked for; other runs' rows never", () => {
  const said = rows({ type: "unknown_message", method: "new/thing" });
  const quiet = timelineLines(run, said, look);
  const verbose = timelineLines(run, said, { ...look, verbose: true });
  expect(verbose.length).toBeGreaterThan(quiet.length);
  expect(timelineLines({ ...run, id: "other" as typeof run.id }, said, { ...look, verbose: true })).toEqual(
    [],
  );
});

test("the hook that a run is in is shown, until it has ended", () => {
  const begun: FactBody = { type: "hook_started", hook: "before_run" };
  const over: FactBody = {
    type: "hook_ran",
    hook: "before_run",
    ok: true,
    tookMs: 1,
    output: "",
    error: null,
  };
  const open = { ...run, ending: null };
  expect(timelineLines(open, rows(begun), look).join()).toContain("hook before_run started");
  expect(timelineLines(open, rows(begun, over), look)).toEqual([]);
  expect(timelineLines({ ...run, ending: { outcome: "lost", failure: null } }, rows(begun), look)).toEqual(
    [],
  );
});

test("of a long detail the end is shown, and how much is left out", () => {
  const detail = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");
  const lines = failureLines(failure("port_exit", "It exited.", { hint: "Look.", detail }), look).map(
    (line) => line.trim(),
  );
  expect(lines[0]).toBe("port_exit: It exited.");
  expect(lines[1]).toBe("What to do: Look.");
  expect(lines[2]).toBe("| … 10 lines before");
  expect(lines.at(-1)).toBe("| line 39");
});

test("as JSON a fact is told once: whom it is about stands beside it", () => {
  const [row] = rows({ type: "warning", message: "m" });
  const view = row === undefined ? null : timelineView(row);
  expect(view).toMatchObject({ run_id: "r3", type: "warning", level: "warn", fact: { message: "m" } });
  expect(Object.keys(view?.fact as object)).toEqual(["message"]);
});
