import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packageRoot } from "../../../src/package-root.ts";

const read = (path: string): string => readFileSync(join(packageRoot, path), "utf8");

/** A drain ends with code 0. */
test("what was drained is started again by nobody: not by docker-compose.yml, not by the unit", () => {
  const compose = parse(read("docker-compose.yml")) as { services: Record<string, { restart?: string }> };
  expect(Object.values(compose.services).map(({ restart }) => restart)).toEqual(["on-failure"]);
  const unit = read("docs/systemd/baton.service");
  expect(unit).toMatch(/^Restart=on-failure$/m);
  expect(unit).toMatch(/^RestartPreventExitStatus=2 3 4 5$/m);
});
