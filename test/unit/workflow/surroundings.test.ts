import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expandPath, referenceIn, secret, variable } from "../../../src/workflow/surroundings.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "surroundings-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const around = (env: Readonly<Record<string, string>>) => ({
  env,
  home: "/home/ann",
  file: "/repo/WORKFLOW.md",
});

test("only a value that is a reference and nothing else is one", () => {
  expect(["$KEY", " ${KEY} ", "$KEY-x", "x$KEY", "$1", "KEY"].map(referenceIn)).toEqual([
    "KEY",
    "KEY",
    null,
    null,
    null,
    null,
  ]);
});

test("a variable that is empty is as one that is not set", () => {
  expect(variable("KEY", around({ KEY: " \n" }))).toBeNull();
  expect(variable("KEY", around({ KEY: " x " }))).toBe("x");
});

test("a secret is the variable, or what is in the file that the other variable names; the variable comes first", () => {
  const file = join(directory, "key");
  writeFileSync(file, "from the file\n");
  expect(secret("KEY", around({ KEY_FILE: file }))).toEqual({ value: "from the file" });
  expect(secret("KEY", around({ KEY: "said", KEY_FILE: file }))).toEqual({ value: "said" });
});

test("a secret that is missing says what was looked for, and never what was found", () => {
  const file = join(directory, "large");
  writeFileSync(file, "secret".repeat(10_000));
  const missing = (env: Readonly<Record<string, string>>): string =>
    JSON.stringify(secret("KEY", around(env)));
  expect(missing({})).toContain("KEY_FILE");
  expect(missing({ KEY_FILE: file })).toContain("not a small regular file");
  expect(missing({ KEY_FILE: file })).not.toContain("secret");
  expect(missing({ KEY_FILE: join(directory, "none") })).toContain("ENOENT");
  expect(missing({ KEY_FILE: directory })).toContain("not a small regular file");
});

test("a path counts from the file's directory, and one unset variable makes it none", () => {
  const env = around({ CACHE: "/cache" });
  expect(expandPath("ws", env)).toEqual({ path: "/repo/ws" });
  expect(expandPath("~/ws", env)).toEqual({ path: "/home/ann/ws" });
  expect(expandPath("${CACHE}/a/../b", env)).toEqual({ path: "/cache/b" });
  expect(expandPath("$CACHE/$NONE", env)).toEqual({ unset: "NONE" });
});
