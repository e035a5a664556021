import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyBeside, olderWorkspaceKey, workspaceKey } from "../../../src/workspace/key.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("a", "A", ".", "/", "_", "-", "é", "e\u0301", "\0"), maxLength: 8 }),
);

describe("the key of an identifier", () => {
  test("is the identifier when that is a plain name", () => {
    expect(workspaceKey("MT-12")).toBe("MT-12");
    expect(workspaceKey("a.b_c-9")).toBe("a.b_c-9");
    expect(workspaceKey("MT-12345678")).toBe("MT-12345678");
    expect(workspaceKey("fix-c14cddc033f64b9d")).toBe("fix-c14cddc033f64b9d");
  });

  test("says by a hash of the original that sanitising changed it", () => {
    expect(workspaceKey("a/b")).toBe("a_b-c14cddc033f64b9d");
    expect(workspaceKey("MT 12")).toMatch(/^MT_12-[0-9a-f]{16}$/);
    expect(workspaceKey("🚀")).toMatch(/^_-[0-9a-f]{16}$/);
  });

  test.each([
    "",
    ".",
    "..",
    "../../x",
    ".git",
    ".trash",
    "...",
    "/etc/passwd",
    "a\0b",
    "x".repeat(500),
    "a\n",
  ])("is a harmless name of its own for %j", (identifier) => {
    const key = workspaceKey(identifier);
    expect(key).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]*-[0-9a-f]{16}$/);
    expect(key.length).toBeLessThanOrEqual(100);
  });

  test("is always a plain name of 1 to 100 characters that is not hidden", () => {
    fc.assert(
      fc.property(hostile, (identifier) => {
        expect(workspaceKey(identifier)).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/);
      }),
    );
  });

  test("is shared by no two identifiers that become the same text", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        fc.pre(a.toWellFormed() !== b.toWellFormed() && workspaceKey(a) !== a && workspaceKey(b) !== b);
        expect(workspaceKey(a)).not.toBe(workspaceKey(b));
      }),
    );
    expect(workspaceKey("caf\u00e9")).not.toBe(workspaceKey("cafe\u0301"));
    expect(workspaceKey("x".repeat(101))).not.toBe(workspaceKey("x".repeat(102)));
  });

  test("had 32 bits of hash in earlier releases, and so had names that looked like it", () => {
    expect(olderWorkspaceKey("a/b")).toBe("a_b-c14cddc0");
    expect(olderWorkspaceKey("MT-12345678")).toMatch(/^MT-12345678-[0-9a-f]{8}$/);
    expect(olderWorkspaceKey("MT-12")).toBeNull();
  });

  test("is always the same beside another issue's, and another for each issue", () => {
    expect(keyBeside("ENG-7", "linear", "a")).toBe(keyBeside("ENG-7", "linear", "a"));
    expect(keyBeside("ENG-7", "linear", "a")).not.toBe(keyBeside("ENG-7", "linear", "b"));
    expect(keyBeside("x".repeat(100), "linear", "a")).toHaveLength(100);
  });

  test("is the same every time", () => {
    fc.assert(fc.property(hostile, (identifier) => workspaceKey(identifier) === workspaceKey(identifier)));
  });
});
