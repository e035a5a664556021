import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holding } from "../../../src/workspace/files/files.ts";
import type { Owner } from "../../../src/workspace/owner.ts";
import { Owners } from "../../../src/workspace/owners.ts";
import { acme } from "../../whose.ts";

const acmes: Owner = { tracker: acme, issueId: "id-7", identifier: "ENG-7", workflow: "main" };
const globexs: Owner = { ...acmes, tracker: { ...acme, organisation: "globex" }, issueId: "id-9" };

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-owners-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const records = (): string => join(root, ".baton", "owners");
const claim = (owners: Owners, owner: Owner, key = "ENG-7"): Promise<boolean> =>
  holding(root, (held) => owners.claim(held, key, owner));
const of = (owners: Owners, key = "ENG-7"): Promise<Owner | null> =>
  holding(root, (held) => owners.of(held, key));
const keysOf = (owners: Owners, owner: Owner) => holding(root, (held) => owners.keysOf(held, owner));

test("a record is on the disk whole, for the daemon's user alone, and nothing else is left there", async () => {
  expect(await claim(new Owners(), acmes)).toBe(true);
  expect(await of(new Owners())).toEqual(acmes);
  expect(await readdir(records())).toEqual(["ENG-7.json"]);
  expect((await lstat(join(records(), "ENG-7.json"))).mode & 0o777).toBe(0o600);
});

test("who comes second does not get the name, also when neither has seen the other's record before", async () => {
  const [one, other] = [new Owners(), new Owners()];
  const got = await Promise.all([claim(one, acmes), claim(other, globexs)]);
  expect(got.filter((claimed) => claimed)).toHaveLength(1);
  expect(await of(one)).toEqual(await of(other));
});

test("an issue is found by its id under the name it had, until the record is gone", async () => {
  const owners = new Owners();
  await claim(owners, acmes);
  const renamed = { ...acmes, identifier: "OPS-1" };
  expect([await keysOf(owners, renamed), await keysOf(new Owners(), renamed)]).toEqual([
    ["ENG-7"],
    ["ENG-7"],
  ]);
  await holding(root, (held) => new Owners().forget(held, "ENG-7"));
  expect(await keysOf(owners, renamed)).toEqual([]);
});

test("what was known of the organisation stays known when the tracker does not tell it today", async () => {
  await claim(new Owners(), acmes);
  await claim(new Owners(), { ...acmes, identifier: "OPS-1", tracker: { ...acme, organisation: null } });
  expect(await of(new Owners())).toEqual({ ...acmes, identifier: "OPS-1" });
});

test("a record that cannot be read is nobody's licence to use the directory, and says what to do", async () => {
  await claim(new Owners(), acmes);
  await writeFile(join(records(), "ENG-7.json"), "{");
  await expect(claim(new Owners(), acmes)).rejects.toMatchObject({
    message: expect.stringContaining("does not say whose"),
    hint: expect.stringContaining("remove this file"),
  });
});

test("a link in place of a record or of the records is not followed", async () => {
  const outside = await realpath(await mkdtemp(join(tmpdir(), "baton-outside-")));
  await writeFile(join(outside, "secret"), "gold");
  await mkdir(records(), { recursive: true });
  await symlink(join(outside, "secret"), join(records(), "ENG-7.json"));
  await expect(claim(new Owners(), acmes)).rejects.toMatchObject({ kind: "workspace_error" });
  await rm(records(), { recursive: true });
  await symlink(outside, records());
  await expect(claim(new Owners(), acmes)).rejects.toMatchObject({ kind: "workspace_error" });
  expect([await readdir(outside), await readFile(join(outside, "secret"), "utf8")]).toEqual([
    ["secret"],
    "gold",
  ]);
  await rm(outside, { recursive: true });
});
