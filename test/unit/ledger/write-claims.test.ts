import { expect, test } from "vitest";
import { at, run, running } from "../../contract/ledger-records.ts";
import { ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("since when an issue waits is not forgotten when it is put back in line", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const { workflow, issue } = running(one);
  const waiting = {
    phase: "waiting",
    workflow,
    issue,
    retryAt: at(9),
    attempt: 1,
    kind: "retry",
    why: "w",
    failure: null,
  } as const;
  const since = (): unknown[] => rows(path, "SELECT since FROM claims");
  ledger.commit([{ type: "claim", claim: running(one), at: at(1) }], []);
  ledger.commit([{ type: "claim", claim: waiting, at: at(5) }], []);
  ledger.commit([{ type: "claim", claim: { ...waiting, retryAt: at(20) }, at: at(8) }], []);
  expect(since()).toEqual([{ since: at(5) }]);
});
