import { expect, test } from "vitest";
import { Redactor } from "../../../src/facts/redact.ts";
import { at, opened, run, started, turnStarted } from "../../contract/ledger-records.ts";
import { ledgerFile, open, rows } from "./folder.ts";

test("a workflow's text is kept once per hash", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.keepWorkflow("h1", "/a/WORKFLOW.md", "text", at(1));
  ledger.keepWorkflow("h1", "/b/WORKFLOW.md", "text", at(2));
  expect(rows(path, "SELECT hash, path, first_seen FROM workflows")).toEqual([
    { hash: "h1", path: "/a/WORKFLOW.md", first_seen: at(1) },
  ]);
});

test("of a workflow file the text with the hash is given, else the one that was seen first last", () => {
  const ledger = open(ledgerFile());
  ledger.keepWorkflow("h1", "/a/WORKFLOW.md", "one", at(1));
  ledger.keepWorkflow("h2", "/a/WORKFLOW.md", "two", at(2));
  ledger.keepWorkflow("h3", "/b/WORKFLOW.md", "three", at(3));
  expect(ledger.workflowText("/a/WORKFLOW.md", "h1")).toEqual({ hash: "h1", text: "one" });
  expect(ledger.workflowText("/a/WORKFLOW.md", null)).toEqual({ hash: "h2", text: "two" });
  // Moved since.
  expect(ledger.workflowText("/c/WORKFLOW.md", "h3")).toEqual({ hash: "h3", text: "three" });
  expect(ledger.workflowText("/c/WORKFLOW.md", "h4")).toBeNull();
});

test("what a turn was given is kept once, for as long as it was told lately, and without secrets", () => {
  const path = ledgerFile();
  const redactor = new Redactor();
  redactor.add("lin_api_secret_key");
  const ledger = open(path, { redact: (value) => redactor.deep(value) });
  const [one, two] = [run(1), run(2)];
  ledger.commit([started(one), opened(one), turnStarted(one, 1, "Use lin_api_secret_key.")], []);
  ledger.commit([started(two), opened(two), turnStarted(two, 3, "Use lin_api_secret_key.")], []);
  expect(rows(path, "SELECT text, told_at FROM texts")).toEqual([{ text: "Use ***.", told_at: at(3) }]);
  expect(ledger.told(one.id)).toEqual([{ turn: 1, at: at(1), text: "Use ***." }]);
  ledger.prune(at(3), 10);
  expect(ledger.told(two.id)).toHaveLength(1);
  ledger.prune(at(4), 10);
  expect(ledger.told(two.id)).toEqual([{ turn: 3, at: at(3), text: null }]);
});
