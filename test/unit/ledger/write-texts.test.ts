import { expect, test } from "vitest";
import { at } from "../../contract/ledger-records.ts";
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
