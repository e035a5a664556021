import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../src/ledger/port.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { at, ended, run, running, said, started } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

function lived(): { path: string; ledger: Ledger } {
  const path = ledgerFile();
  const ledger = openLedger(path);
  onTestFinished(() => ledger.close());
  return { path, ledger };
}

function behind(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

const texts = (ledger: Ledger, runs: readonly number[], limit: number): unknown[] =>
  ledger
    .timeline(
      runs.map((n) => run(n).id),
      limit,
    )
    .map(({ fact }) => (fact.type === "agent_said" ? fact.text : fact.type));

test("a timeline of several runs is in the order in which things happened, and ends with the last of all", () => {
  const { ledger } = lived();
  for (let n = 0; n < 9; n += 1) ledger.append(said(`${n}`, run(n % 3)));
  expect(texts(ledger, [0, 2], 9)).toEqual(["0", "2", "3", "5", "6", "8"]);
  expect(texts(ledger, [2, 0], 3)).toEqual(["5", "6", "8"]);
  expect(texts(ledger, [], 3)).toEqual([]);
});

test("an entry of the history that cannot be read does not hide the others", () => {
  const { path, ledger } = lived();
  ledger.commit([], [said("a", run(1)), said("b", run(1))]);
  behind(path, "UPDATE events SET fact = 'torn' WHERE id = 1");
  expect(texts(ledger, [1], 9)).toEqual(["warning", "b"]);
});

test("a claim that cannot be read stops a start, and says where it is wrong", () => {
  const { path, ledger } = lived();
  ledger.commit([{ type: "claim", claim: running(run(1)), at: at(1) }], []);
  behind(path, "UPDATE claims SET detail = json_remove(detail, '$.turns')");
  expect(() => ledger.load()).toThrow(/a claim cannot be read, it\.turns is no number: nothing/);
  behind(path, "UPDATE claims SET detail = 'torn'");
  expect(() => ledger.load()).toThrow(/a claim cannot be read/);
});

test("an issue that had another identifier is found by it, in the runs of that time only", () => {
  const { ledger } = lived();
  const [before, now] = [run(1), run(2, { issueId: run(1).issueId, identifier: "NEW-1" })];
  ledger.commit([started(before), ended(before)], []);
  ledger.commit([started(now), ended(now)], []);
  const ids = (issue: string): unknown[] => ledger.runs({ issue, limit: 9 }).map(({ id }) => id);
  expect(ids("mt-1")).toEqual(["r1"]);
  expect(ids("new-1")).toEqual(["r2", "r1"]);
  expect(ids(before.issueId)).toEqual(["r2", "r1"]);
});

test("what was spent is that of the newest day, over all workflows", () => {
  const { path, ledger } = lived();
  behind(
    path,
    `INSERT INTO spending (day, workflow, total_tokens)
     VALUES ('2031-05-08', 'main', 7), ('2031-05-09', 'main', 1), ('2031-05-09', 'other', 2)`,
  );
  expect(ledger.load().spent).toEqual({ day: Date.UTC(2031, 4, 9) / 86_400_000, tokens: 3 });
});
