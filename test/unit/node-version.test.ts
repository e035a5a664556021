import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeProblem } from "../../src/node-version.ts";

test.each(["22.14.0", "22.15.1", "23.0.0", "24.21.0", "100.0.0"])("Node %s is fine", (version) => {
  expect(nodeProblem(version)).toBeNull();
});

test.each(["22.13.9", "22.2.0", "21.99.0", "20.19.5", "9.14.0", "0.10.48"])(
  "Node %s is too old, which is said with what is needed",
  (version) => {
    expect(nodeProblem(version)).toContain(`this is Node ${version}, and Baton needs 22.14 or newer`);
  },
);

test("the package asks for the same version as the program", () => {
  const read = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  const { engines } = JSON.parse(read) as { engines: { node: string } };
  const oldest = /^>=(\d+)\.(\d+)$/.exec(engines.node);
  const [major, minor] = [Number(oldest?.[1]), Number(oldest?.[2])];
  expect(nodeProblem(`${major}.${minor}.0`)).toBeNull();
  expect(nodeProblem(`${major}.${minor - 1}.0`)).not.toBeNull();
});
