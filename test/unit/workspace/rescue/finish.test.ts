import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finish } from "../../../../src/workspace/rescue/finish.ts";
import { readManifest } from "../../../../src/workspace/rescue/manifest.ts";
import { aManifest } from "./made.ts";

let base = "";
let directory = "";
let making = "";
const path = process.env["PATH"] ?? "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "finish-")));
  directory = join(base, "rescue");
  making = join(directory, ".making-1");
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, "work"), "x");
  // Flushing the disk for real would hold up everything else that is tested on it.
  mkdirSync(join(base, "bin"));
  sync(
    `ls -A '${directory}' | tr '\\n' ' ' >> '${join(base, "flushed")}'; echo >> '${join(base, "flushed")}'`,
  );
  process.env["PATH"] = `${join(base, "bin")}${delimiter}${path}`;
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(base, { recursive: true });
});

function sync(script: string): void {
  writeFileSync(join(base, "bin", "sync"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(base, "bin", "sync"), 0o755);
}

const live = new AbortController().signal;
const manifest = aManifest();
const finished = (signal = live) => finish(making, directory, manifest, signal);

test("all of it is on the disk before it has its name, and its name is on the disk too", async () => {
  const { to } = await finished();
  expect(to).toBe(join(directory, manifest.id));
  expect(readFileSync(join(base, "flushed"), "utf8").trim().split(/ *\n/)).toEqual([
    ".making-1",
    manifest.id,
  ]);
  expect(readFileSync(join(to, "work"), "utf8")).toBe("x");
  expect(await readManifest(to)).toEqual(manifest);
});

test("another rescue of the same second gets a name of its own, and says it itself", async () => {
  for (const id of [manifest.id, `${manifest.id}-2`]) {
    mkdirSync(join(directory, id));
    writeFileSync(join(directory, id, "theirs"), "");
  }
  const { to, manifest: named } = await finished();
  expect([to, named.id]).toEqual([join(directory, `${manifest.id}-3`), `${manifest.id}-3`]);
  expect((await readManifest(to))?.id).toBe(named.id);
  expect(readdirSync(join(directory, manifest.id))).toEqual(["theirs"]);
});

test("what may not be on the disk gets no name", async () => {
  sync("echo oh no >&2; exit 1");
  await expect(finished()).rejects.toMatchObject({
    kind: "workspace_error",
    message: `sync ${making}: oh no`,
  });
  expect(readdirSync(directory)).toEqual([".making-1"]);
});

test("what is given up gets no name", async () => {
  await expect(finished(AbortSignal.abort())).rejects.toThrow();
  expect(existsSync(join(directory, manifest.id))).toBe(false);
});

test("another trouble than a name that is taken is not tried again under another name", async () => {
  writeFileSync(join(directory, manifest.id), "a file");
  await expect(finished()).rejects.toMatchObject({ code: "ENOTDIR" });
  expect(readdirSync(directory).toSorted()).toEqual([".making-1", manifest.id]);
});
