import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeProblem } from "../../src/node-version.ts";

const problem = (version: string, more: { argv?: string[]; beside?: string | null } = {}) =>
  nodeProblem({ version, argv: ["/opt/baton/dist/main.js"], beside: null, ...more });

test.each(["22.14.0", "22.15.1", "23.0.0", "24.21.0", "100.0.0"])("Node %s is fine", (version) => {
  expect(problem(version)).toBeNull();
});

test.each(["22.13.9", "22.2.0", "21.99.0", "20.19.5", "9.14.0", "0.10.48"])(
  "Node %s is too old, which is said with what is needed",
  (version) => {
    expect(problem(version)).toContain(`this is Node ${version}, and Baton needs 22.14 or newer`);
  },
);

test("the package asks for the same version as the program", () => {
  const read = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  const { engines } = JSON.parse(read) as { engines: { node: string } };
  const oldest = /^>=(\d+)\.(\d+)$/.exec(engines.node);
  const [major, minor] = [Number(oldest?.[1]), Number(oldest?.[2])];
  expect(problem(`${major}.${minor}.0`)).toBeNull();
  expect(problem(`${major}.${minor - 1}.0`)).not.toBeNull();
});

test("an old Node is told a command that starts this very program again, as it was started", () => {
  const argv = ["/my tools/baton", "show", "it's"];
  expect(problem("20.1.0", { argv })?.split("\n").at(-1)).toBe(
    "  npm exec --yes --package=node@24 -- node '/my tools/baton' show 'it'\\''s'",
  );
  expect(problem("20.1.0", { beside: "/src/node_modules/node/bin/node" })?.split("\n").at(-1)).toBe(
    "  /src/node_modules/node/bin/node /opt/baton/dist/main.js",
  );
  expect(problem("20.1.0", { argv })).not.toMatch(/package=baton/);
});
