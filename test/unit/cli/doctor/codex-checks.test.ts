import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryAround } from "../../../../src/cli/doctor/codex-checks.ts";
import { programIn } from "../../../../src/cli/doctor/codex-program.ts";

describe("the program in codex.command", () => {
  it.each([
    ["codex app-server", "codex"],
    ["exec codex app-server --listen stdio://", "codex"],
    [`codex --config 'model="x"' --model y app-server`, `codex --config 'model="x"' --model y`],
    [`"/opt/my tools/codex" app-server`, `"/opt/my tools/codex"`],
    [`CODEX_HOME=/x codex app-server`, "CODEX_HOME=/x codex"],
    ["./start-agent --fast", "./start-agent"],
    ["'./a b' x", "'./a b'"],
  ])("%s asks %s", (command, program) => expect(programIn(command)).toBe(program));
});

describe("a directory under the temporary one", () => {
  it("is noticed, by the agent's TMPDIR when it has one", () => {
    expect(temporaryAround(tmpdir(), {})).not.toBeNull();
    expect(temporaryAround("/", {})).toBeNull();
    expect(temporaryAround("/usr/bin", { TMPDIR: "/usr" })).toBe("/usr");
    expect(temporaryAround("/usrother", { TMPDIR: "/usr" })).toBeNull();
    expect(temporaryAround(join("/usr", "bin"), { TMPDIR: "/no/such/place" })).toBeNull();
  });
});
