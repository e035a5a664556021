import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryAround } from "../../../../src/cli/doctor/codex-checks.ts";

describe("a directory under the temporary one", () => {
  it("is noticed, by the agent's TMPDIR when it has one", () => {
    expect(temporaryAround(tmpdir(), {})).not.toBeNull();
    expect(temporaryAround("/", {})).toBeNull();
    expect(temporaryAround("/usr/bin", { TMPDIR: "/usr" })).toBe("/usr");
    expect(temporaryAround("/usrother", { TMPDIR: "/usr" })).toBeNull();
    expect(temporaryAround(join("/usr", "bin"), { TMPDIR: "/no/such/place" })).toBeNull();
  });
});
