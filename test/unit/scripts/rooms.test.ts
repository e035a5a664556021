import { describe, expect, test } from "vitest";
import { faceMissed } from "../../../scripts/lint/rooms.ts";

describe("a folder is entered by its face", () => {
  test.each([
    ["/p/src/daemon/loop.ts", "/p/src/ledger/port.ts", "/p/src/ledger/ledger.ts"],
    ["/p/src/daemon/loop.ts", "/p/src/workspace/git/git.ts", "/p/src/workspace/workspace.ts"],
    ["/p/src/workspace/rescue/work.ts", "/p/src/workspace/git/survey.ts", "/p/src/workspace/git/git.ts"],
    ["/p/src/workspace/disk.ts", "/p/src/workspace/git/survey.ts", "/p/src/workspace/git/git.ts"],
  ])("%s may not import %s", (importer, imported, face) => {
    expect(faceMissed(importer, imported)).toBe(face);
  });

  test.each([
    ["/p/src/daemon/loop.ts", "/p/src/ledger/ledger.ts"],
    ["/p/src/daemon/loop.ts", "/p/src/daemon/clock.ts"],
    ["/p/src/workspace/git/survey.ts", "/p/src/workspace/port.ts"],
    ["/p/src/workspace/git/survey.ts", "/p/src/workspace/files/files.ts"],
    ["/p/src/main.ts", "/p/src/node-version.ts"],
  ])("%s may import %s", (importer, imported) => {
    expect(faceMissed(importer, imported)).toBeNull();
  });
});
