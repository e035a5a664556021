import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { knownFits } from "../../../../src/agent/codex/known-fits.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "known-"));
  path = join(folder, "known");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a release that was found to have all is known in the next life; the oldest of many are forgotten", () => {
  for (let minor = 1; minor <= 30; minor += 1) knownFits(path).add(`0.${minor}.0`);
  expect(knownFits(path).has("0.30.0")).toBe(true);
  expect(knownFits(path).has("0.1.0")).toBe(false);
});

test("what other needs were held against is not known", () => {
  knownFits(path).add("0.1.0");
  writeFileSync(path, readFileSync(path, "utf8").replace(/"needs":"./, '"needs":"x'));
  expect(knownFits(path).has("0.1.0")).toBe(false);
});

test.each(["", "{", "[]", '{"versions":["0.1.0"]}'])(
  "a file that holds %j says nothing, and is replaced",
  (text) => {
    writeFileSync(path, text);
    expect(knownFits(path).has("0.1.0")).toBe(false);
    knownFits(path).add("0.1.0");
    expect(knownFits(path).has("0.1.0")).toBe(true);
  },
);
