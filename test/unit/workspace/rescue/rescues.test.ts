import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS, instant } from "../../../../src/domain/time.ts";
import { findRescue, listRescues, pruneRescues } from "../../../../src/workspace/rescue/rescues.ts";
import { aRescue } from "./made.ts";

let directory = "";
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "rescues-")));
});
afterEach(() => rmSync(directory, { recursive: true }));

const day = (n: number): string => new Date(Date.UTC(2031, 4, n)).toISOString();
const rescue = (id: string, rescued_at: string, more: Parameters<typeof aRescue>[1] = {}) =>
  aRescue(directory, { id, rescued_at, ...more });
const ids = async (prefix?: string): Promise<readonly string[]> =>
  (await listRescues(directory, prefix)).map(({ manifest }) => manifest.id);

test("rescues are listed newest first, whatever their names; what has no manifest is none", async () => {
  rescue("a", day(2));
  rescue("b", day(3));
  rescue("c", day(1));
  rescue(".making-1", day(4));
  mkdirSync(join(directory, "empty"));
  writeFileSync(join(directory, "file"), "");
  expect(await ids()).toEqual(["b", "a", "c"]);
  expect(await ids("a")).toEqual(["a"]);
  expect(await listRescues(join(directory, "none"))).toEqual([]);
});

test("a copy that somebody made by hand has the name of its directory, so that both are found", async () => {
  const { to } = rescue("a", day(1));
  cpSync(to, join(directory, "copy"), { recursive: true });
  expect((await ids()).toSorted()).toEqual(["a", "copy"]);
  expect((await findRescue(directory, "copy"))?.to).toBe(join(directory, "copy"));
});

test("a name is an id first, then an issue's, of which the newest is meant", async () => {
  rescue("MT-1-a", day(1));
  rescue("MT-1-b", day(2));
  // An issue whose identifier looks like the id of another's rescue.
  rescue("MT-9-a", day(3), { identifier: "MT-1-a", issue_id: "id-9" });
  const found = async (name: string) => (await findRescue(directory, name))?.manifest.id;
  expect(await Promise.all(["MT-1-a", "MT-1", "id-1", "id-9", "MT-1-"].map(found))).toEqual([
    "MT-1-a",
    "MT-1-b",
    "MT-1-b",
    "MT-9-a",
    undefined,
  ]);
});

test("what is older than the days that it is kept goes as a whole, and nothing else", async () => {
  rescue("old", day(1));
  rescue("young", day(2));
  rescue("undated", "once");
  const now = instant(Date.UTC(2031, 4, 2));
  expect(await pruneRescues(directory, 1, now)).toEqual([]);
  expect(await pruneRescues(directory, 1, instant(now + 1))).toEqual(["old"]);
  expect((await ids()).toSorted()).toEqual(["undated", "young"]);
  expect(readdirSync(join(directory, ".trash"))).toEqual([]);
});

test("a rescue that is being made is left alone for a day; after that its process is dead", async () => {
  mkdirSync(join(directory, ".making-1", "files"), { recursive: true });
  utimesSync(join(directory, ".making-1"), 0, 0);
  expect(await pruneRescues(directory, 14, instant(DAY_MS))).toEqual([]);
  expect(existsSync(join(directory, ".making-1"))).toBe(true);
  await pruneRescues(directory, 14, instant(DAY_MS + 1));
  expect(existsSync(join(directory, ".making-1"))).toBe(false);
});

test("where nothing was ever rescued nothing is made; what cannot be read is an error", async () => {
  expect(await pruneRescues(directory, 14, instant(0))).toEqual([]);
  expect(await pruneRescues(join(directory, "none"), 14, instant(0))).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
  writeFileSync(join(directory, "file"), "");
  await expect(listRescues(join(directory, "file"))).rejects.toMatchObject({ kind: "workspace_error" });
});
