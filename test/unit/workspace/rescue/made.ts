/** Rescues made by hand, for the tests of what is done with them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Manifest,
  manifestName,
  manifestText,
  type RescuedRepository,
} from "../../../../src/workspace/rescue/manifest.ts";
import type { Rescued } from "../../../../src/workspace/rescue/rescues.ts";

export const someId = "1".repeat(40);

export const aManifest = (more: Partial<Manifest> = {}): Manifest => ({
  version: 1,
  id: "MT-1-20310509T080000Z",
  identifier: "MT-1",
  issue_id: "id-1",
  workspace: "/w/MT-1",
  rescued_at: "2031-05-09T08:00:00.000Z",
  why: "done",
  fingerprint: "f",
  repositories: [],
  files: [],
  left_out: [],
  left_out_more: 0,
  bytes: 0,
  ...more,
});

export const aRepository = (more: Partial<RescuedRepository> = {}): RescuedRepository => ({
  at: "",
  branch: "refs/heads/main",
  head: someId,
  commits: 0,
  bundle: null,
  refs: [],
  shallow: [],
  needs: [],
  deleted: [],
  ...more,
});

/** Writes a rescue into `directory`, under its id; every file says its own path. */
export function aRescue(directory: string, more: Partial<Manifest> = {}): Rescued {
  const manifest = aManifest(more);
  const to = join(directory, manifest.id);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, manifestName), manifestText(manifest));
  for (const { path } of manifest.files) {
    mkdirSync(dirname(join(to, "files", path)), { recursive: true });
    writeFileSync(join(to, "files", path), path);
  }
  return { manifest, to };
}
