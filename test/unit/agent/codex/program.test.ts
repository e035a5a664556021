import { describe, expect, it } from "vitest";
import { generatorIn, programIn, versionIn } from "../../../../src/agent/codex/program.ts";

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

describe("the command that has Codex write its schema", () => {
  it.each([
    ["codex app-server", "codex app-server generate-json-schema --experimental --out '/tmp/it'\\''s'"],
    [
      " sed -u x | codex -c a=b app-server\n",
      "sed -u x | codex -c a=b app-server generate-json-schema --experimental --out '/tmp/it'\\''s'",
    ],
    ["codex app-server --listen stdio://", null],
    ["codex app-server | tee log", null],
    ["./my-app-server", null],
  ])("of %s is %s", (command, generator) => expect(generatorIn(command, "/tmp/it's")).toBe(generator));
});

describe("the version of Codex", () => {
  it.each([
    ["codex-cli 0.169.0\n", "0.169.0"],
    ["WARNING: no aliases\ncodex-cli 0.170.0-alpha.1\n", "0.170.0-alpha.1"],
    ["codex 0.40.0", "0.40.0"],
    ["v24.21.0\n", null],
    ["not codex-cli 0.169.0", null],
    ["", null],
  ])("in %j is %s", (said, version) => expect(versionIn(said)).toBe(version));
});
