import { expect, test } from "vitest";
import { exportLines } from "../../../src/ledger/export.ts";
import { migrations } from "../../../src/ledger/schema/migrations/migrations.ts";
import { run } from "../../contract/ledger-records.ts";
import { dump } from "../../faults/ledger/dump.ts";
import { lively } from "./folder.ts";

test("an export has every row of every table, with its columns", () => {
  const { path } = lively();
  const [head, ...lines] = [...exportLines(path)];
  const { rows } = dump(path);
  expect(head).toEqual({ ledger: { schema: migrations.length, tables: [...rows.keys()] } });
  const found = new Map([...rows.keys()].map((name) => [name, [] as string[]]));
  for (const line of lines) if ("table" in line) found.get(line.table)?.push(JSON.stringify(line.row));
  expect(found).toEqual(rows);
});

test("an export in pages misses nothing of a large table", () => {
  const { path, ledger } = lively();
  ledger.commit(
    [],
    Array.from(
      { length: 1_234 },
      (_, n) => ({ type: "warning", message: `${n}`, at: run(1).startedAt }) as const,
    ),
  );
  const events = [...exportLines(path)].filter((line) => "table" in line && line.table === "events");
  expect(events).toHaveLength(dump(path).rows.get("events")?.length ?? 0);
  expect(events.length).toBeGreaterThan(1_234);
});
