import { expect, test } from "vitest";
import { settingsRows, settingsView } from "../../../src/cli/settings-view.ts";
import type { Workflow } from "../../../src/domain/settings.ts";
import { settingsOf, withLines } from "../workflow/parsing.ts";

const key = "lin_api_that_nobody_may_see";
function workflow(): Workflow {
  const settings = settingsOf(withLines(""));
  const tracker = { ...settings.tracker, apiKey: key };
  return { path: "/srv/WORKFLOW.md", text: "", hash: "", template: "", settings: { ...settings, tracker } };
}

test("the key is in neither the page nor the JSON, only that it is set", () => {
  const page = settingsRows(workflow());
  expect(JSON.stringify([page, settingsView(workflow())])).not.toContain(key);
  expect(new Map(page).get("tracker")).toMatch(/key set$/);
});

test("of a tracker without a key nothing is said that is not so", () => {
  const { settings, ...rest } = workflow();
  const tracker = { ...settings.tracker, kind: "files", endpoint: "", apiKey: "" };
  expect(new Map(settingsRows({ ...rest, settings: { ...settings, tracker } })).get("tracker")).toBe("files");
});

test("the ledger is shown where it will be, on the page and in the JSON", () => {
  expect(new Map(settingsRows(workflow())).get("ledger")).toBe("/srv/.baton/ledger.db");
  expect(settingsView(workflow())).toMatchObject({ ledger: { path: "/srv/.baton/ledger.db" } });
});

test("hooks that are not set are not listed, and no hook at all is said", () => {
  const { settings, ...rest } = workflow();
  const hooks: typeof settings.hooks = {
    ...settings.hooks,
    beforeRun: "true",
    afterRun: null,
    afterCreate: null,
    beforeRemove: null,
  };
  const words = (more: typeof hooks) =>
    new Map(settingsRows({ ...rest, settings: { ...settings, hooks: more } })).get("hooks");
  expect(words(hooks)).toMatch(/^before_run \(/);
  expect(words({ ...hooks, beforeRun: null })).toBe("none");
});
