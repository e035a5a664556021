import { mkdir, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Creations } from "../../../src/workspace/creation.ts";
import { type Held, holding } from "../../../src/workspace/files/held.ts";

let path = "";
beforeEach(async () => {
  path = await realpath(await mkdtemp(join(tmpdir(), "baton-creation-")));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const inRoot = <T>(use: (root: Held) => Promise<T>): Promise<T> => holding(path, use);
const onDisk = (): Promise<string[]> => readdir(join(path, ".baton"));

test("a mark that was written is known to the next daemon", async () => {
  await inRoot((root) => new Creations().markUnfinished(root, "MT-1"));
  const next = new Creations();
  expect(await inRoot((root) => next.isUnfinished(root, "MT-1"))).toBe(true);
  expect(await inRoot((root) => next.isUnfinished(root, "MT-2"))).toBe(false);
});

test("a mark is gone from the disk when the directory is finished", async () => {
  const creations = new Creations();
  await inRoot((root) => creations.markUnfinished(root, "MT-1"));
  expect(await onDisk()).toEqual(["MT-1.creating"]);
  await inRoot((root) => creations.markFinished(root, "MT-1"));
  expect(await onDisk()).toEqual([]);
  expect(await inRoot((root) => creations.isUnfinished(root, "MT-1"))).toBe(false);
});

test("a mark that another daemon left is removed from the disk too", async () => {
  await inRoot((root) => new Creations().markUnfinished(root, "MT-1"));
  await inRoot((root) => new Creations().markFinished(root, "MT-1"));
  expect(await onDisk()).toEqual([]);
});

test("a mark that appears later is nobody's: an agent cannot have a workspace taken for unfinished", async () => {
  const creations = new Creations();
  await inRoot((root) => creations.isUnfinished(root, "MT-1"));
  await inRoot((root) => new Creations().markUnfinished(root, "MT-1"));
  expect(await inRoot((root) => creations.isUnfinished(root, "MT-1"))).toBe(false);
});

test("marks are of a root, not of its path: what is mounted there later has its own", async () => {
  const place = join(path, "root");
  const away = join(path, "away");
  const inSecond = <T>(use: (root: Held) => Promise<T>): Promise<T> => holding(place, use);
  await mkdir(place);
  await inSecond((root) => new Creations().markUnfinished(root, "MT-1"));
  await rename(place, away);
  await mkdir(place);
  const creations = new Creations();
  expect(await inSecond((root) => creations.isUnfinished(root, "MT-1"))).toBe(false);
  await rm(place, { recursive: true });
  await rename(away, place);
  expect(await inSecond((root) => creations.isUnfinished(root, "MT-1"))).toBe(true);
});
