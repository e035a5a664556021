import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationPage, configurationPath } from "../../../scripts/configuration-doc.ts";

test("docs/CONFIGURATION.md is what the schema says; `npm run configuration` writes it", () => {
  const page = readFileSync(configurationPath, "utf8");
  expect(page).toBe(configurationPage());
  expect(page.match(/^\| `/gm)?.length).toBeGreaterThan(40);
});
