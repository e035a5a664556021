import { expect, test } from "vitest";
import { type Examined, fail, type Finding, ok, skip, warn } from "../../../../src/cli/doctor/check.ts";
import { doctorView, findingText, verdict } from "../../../../src/cli/doctor/doctor-view.ts";
import { unpainted } from "../../../../src/terminal/colour.ts";

const found = (finding: Finding): Examined => ({ name: "disk", tookMs: 3, ...finding });

test("a finding is followed by what to do, under its text", () => {
  expect(findingText(found(fail("It is full.", "Make room.")), null, unpainted)).toBe(
    "fail  disk        It is full.\n                  → Make room.",
  );
});

test("the verdict counts what passed, what failed, and what was not looked at", () => {
  expect(verdict([ok("a"), ok("b"), warn("c", null), skip("d")].map(found))).toBe(
    "Nothing stands in the way: 2 checks passed, 1 warning, 1 skipped.",
  );
  expect(verdict([ok("a"), fail("b", null)].map(found))).toMatch(/^1 check failed/);
});

test("only what failed makes a machine that is not fit", () => {
  expect(doctorView([warn("c", null), skip("d")].map(found)).ok).toBe(true);
  expect(doctorView([fail("c", null)].map(found)).ok).toBe(false);
});
