import { beforeEach, expect, test } from "vitest";
import { subjectOf } from "../../../src/cli/show-subject.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { writeHistory } from "./history.ts";

let ledger: MemoryLedger;
beforeEach(() => {
  ledger = new MemoryLedger();
  writeHistory(ledger);
});

test("a name is an issue's with all of its runs, or one run's", () => {
  const issue = subjectOf(ledger, "mt-12", 200);
  expect(issue.of).toBe("issue");
  expect(issue.runs.length).toBeGreaterThan(1);
  const run = subjectOf(ledger, "r2", 200);
  expect([run.of, run.runs.map(({ id }) => id)]).toEqual(["run", ["r2"]]);
});

test("of a long history the newest part is read, and that it is a part is known", () => {
  const all = subjectOf(ledger, "MT-12", 200);
  const part = subjectOf(ledger, "MT-12", 2);
  expect([all.cut, part.cut]).toEqual([false, true]);
  expect(part.timeline).toEqual(all.timeline.slice(-2));
});

test("a name that nobody has is met with the names that are near", () => {
  expect(() => subjectOf(ledger, "MT-122", 200)).toThrow(/Did you mean .*MT-12/);
});

test("a run is near to what may be a run's name, and not to a ticket's with the same number", () => {
  expect(() => subjectOf(ledger, "DEMO-2", 200)).not.toThrow(/r2/);
  expect(() => subjectOf(ledger, "R2", 200)).toThrow(/Did you mean r2/);
});
