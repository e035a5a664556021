import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Manifest,
  manifestName,
  manifestText,
  readManifest,
} from "../../../../src/workspace/rescue/manifest.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "manifest-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const whole: Manifest = {
  version: 1,
  id: "MT-1-20310509T080000Z",
  identifier: "MT-1",
  issue_id: "i",
  workspace: "/w/MT-1",
  rescued_at: "2031-05-09T08:00:00Z",
  why: "done",
  fingerprint: "f",
  repositories: [],
  files: [{ path: "a/b", bytes: 3 }],
  left_out: [],
  left_out_more: 0,
  bytes: 3,
};
const readBack = async (content: unknown): Promise<Manifest | null> => {
  writeFileSync(
    join(folder, manifestName),
    typeof content === "string" ? content : manifestText(content as Manifest),
  );
  return readManifest(folder);
};

test("what was written is read back", async () => {
  expect(await readBack(whole)).toEqual(whole);
});

test.each(["../x", "/etc/passwd", "a/../../x", "a//b", "a\0b", "", "."])(
  "a path that leads out (%j) makes it no manifest",
  async (path) => {
    expect(await readBack({ ...whole, files: [{ path, bytes: 1 }] })).toBeNull();
  },
);

test("none, half of one and one of another version are no manifests", async () => {
  expect(await readManifest(folder)).toBeNull();
  expect(await readBack(manifestText(whole).slice(0, 50))).toBeNull();
  expect(await readBack({ ...whole, version: 2 })).toBeNull();
});
