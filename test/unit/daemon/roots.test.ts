import { expect, test } from "vitest";
import { Roots } from "../../../src/daemon/roots.ts";
import { issueId } from "../../../src/domain/issue.ts";
import type { RunFilter, RunRow } from "../../../src/ledger/port.ts";
import { W } from "../scheduler/made.ts";

const row = (id: string, workspace: string | null): RunRow =>
  ({ issueId: issueId(id), identifier: id.toUpperCase(), workflow: W, workspace }) as RunRow;

test("the roots are those of the runs of late, and a directory is its last run's", () => {
  const asked: RunFilter[] = [];
  const roots = new Roots((filter) => {
    asked.push(filter);
    return [row("b", "/two/x"), row("a", "/two/x"), row("a", "/one/y"), row("c", null)];
  });
  expect([...roots.all()]).toEqual(["/two", "/one"]);
  expect([roots.whose("/two/x")?.identifier, roots.whose("/three")]).toEqual(["B", null]);
  expect(asked).toHaveLength(1);
  expect([...roots.of(issueId("a"))]).toEqual(["/two", "/one"]);
  expect(asked[1]?.issue).toBe("a");
});
