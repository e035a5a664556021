import { expect, test } from "vitest";
import { loginShellCheck, processesCheck } from "../../../../src/cli/doctor/program-checks.ts";

const found = (source: "/proc" | "ps", start: number | null) =>
  processesCheck({ source, startOf: () => start }).run(AbortSignal.timeout(1_000));

test("processes that /proc tells of are as they should be", async () => {
  expect(await found("/proc", 1)).toMatchObject({ status: "ok", text: "read from /proc" });
});

test("processes that only ps tells of are a warning, with the place that says what that means", async () => {
  const { status, text, todo } = await found("ps", 1);
  expect({ status, text }).toEqual({ status: "warn", text: expect.stringContaining("found by ps") });
  expect(todo).toContain("docs/DEPLOY.md");
});

test("processes that nobody tells of are a failure, with what to do", async () => {
  expect(await found("ps", null)).toMatchObject({ status: "fail", todo: "Mount /proc, or install ps." });
});

const shellThat = (tookMs: number | null) =>
  loginShellCheck({ env: {}, home: "/", now: () => 0, workflow: null }, () => Promise.resolve(tookMs)).run(
    AbortSignal.timeout(1_000),
  );

test("a login shell that is slow is a warning, and one that hangs a failure that names bash's profile files", async () => {
  expect(await shellThat(40)).toMatchObject({ status: "ok", text: "`bash -lc true` takes 0.04 s" });
  expect(await shellThat(2_500)).toMatchObject({
    status: "warn",
    todo: expect.stringContaining("~/.bash_profile"),
  });
  expect(await shellThat(null)).toMatchObject({
    status: "fail",
    text: expect.stringContaining("did not come back within 8 s"),
    todo: expect.stringContaining("/etc/profile.d"),
  });
});
