import { expect, test } from "vitest";
import { at, run, started, used } from "../../contract/ledger-records.ts";
import { ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("tokens are counted on the day they were reported, once, however often the report is repeated", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const nextDay = at(16 * 3_600);
  ledger.commit([started(one), used(one, 100), used(one, 100), used(one, 90)], []);
  ledger.commit([used(one, 250, { at: nextDay }), used(one, 250, { at: nextDay })], []);
  ledger.commit([used(one, 50, { thread: "thread-2", at: nextDay })], []);
  expect(rows(path, "SELECT day, workflow, total_tokens FROM v_tokens_by_day ORDER BY day")).toEqual([
    { day: "2031-05-09", workflow: "main", total_tokens: 100 },
    { day: "2031-05-10", workflow: "main", total_tokens: 200 },
  ]);
});
