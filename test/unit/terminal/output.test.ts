import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const output = JSON.stringify(new URL("../../../src/terminal/output.ts", import.meta.url).href);
const program = (code: string): string =>
  `const { processOutput } = await import(${output}); const o = processOutput(); ${code}`;

test("a reader that has read enough is no error", () => {
  const line = `"$NODE" --input-type=module -e "$CODE" | head -1; echo "\${PIPESTATUS[0]}"`;
  const CODE = program('for (let n = 0; n < 20000; n++) o.out("line " + n);');
  const { stdout, stderr } = spawnSync("bash", ["-c", line], {
    env: { ...process.env, NODE: process.execPath, CODE },
    encoding: "utf8",
  });
  expect(stdout).toBe("line 0\n0\n");
  expect(stderr).toBe("");
});

test("what is said to people and what is the answer go separate ways", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", program('o.out("answer"); o.err("word"); o.out(String(o.isTerminal));')],
    { encoding: "utf8" },
  );
  expect([stdout, stderr]).toEqual(["answer\nfalse\n", "word\n"]);
});
