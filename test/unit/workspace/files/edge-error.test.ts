import { mkdirSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { edgeError, rootError } from "../../../../src/workspace/files/edge-error.ts";
import { WorkspaceError } from "../../../../src/workspace/port.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("a failed system call is told with what was done, why it failed and what to do", () => {
  const error = edgeError(
    "cannot make /w/MT-1",
    thrownBy(() => mkdirSync("/proc/self/fd/nobody/x")),
  );
  expect(error.message).toMatch(/^cannot make \/w\/MT-1: ENOENT/);
  expect(error.message).not.toContain("/proc/self/fd");
  expect(error.hint).toContain("try again");
  const full = Object.assign(new Error("no room"), { code: "ENOSPC" });
  expect(edgeError("x", full).hint).toContain("The disk is full");
});

test("an error of the boundary stays what it is", () => {
  const own = new WorkspaceError("workspace_error", "x", { hint: "y" });
  expect(edgeError("z", own)).toBe(own);
  expect(
    edgeError(
      "z",
      thrownBy(() => readdirSync("/nobody")),
    ).cause,
  ).toBeInstanceOf(Error);
});

test("what keeps one workspace from being made keeps all: it is told of the root; what is in the way of one is not", () => {
  const failed = (code: string) => rootError("x", Object.assign(new Error(code), { code }));
  for (const code of ["EACCES", "EROFS", "ENOSPC", "EDQUOT"]) expect(failed(code).kind).toBe("root_unusable");
  for (const code of ["EEXIST", "ENAMETOOLONG", "EIO"]) expect(failed(code).kind).toBe("workspace_error");
});
