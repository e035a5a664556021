import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { issueFrom } from "../../../src/cli/issue-json.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "issue-json-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, "issue.json");
  writeFileSync(path, text);
  return path;
}

test("an identifier is enough; the rest is as a template would find it", () => {
  const issue = issueFrom(file('{"identifier": "MT-12", "created_at": "2031-01-02T03:04:05Z"}'));
  expect(issue).toMatchObject({
    identifier: "MT-12",
    state: "Todo",
    labels: [],
    blockedBy: [],
    description: null,
  });
  expect(issue.createdAt).toBe(Date.parse("2031-01-02T03:04:05Z"));
});

test.each([
  ["no JSON", "cannot be read as JSON"],
  ['{"title": "T"}', "does not hold an issue"],
  ['{"identifier": "MT-1", "created_at": "yesterday"}', "created_at"],
])("%s is refused with what is wrong and how it is written", (text, why) => {
  expect(() => issueFrom(file(text))).toThrow(why);
  expect(() => issueFrom(file(text))).toThrow("Write it as a template sees it");
});
