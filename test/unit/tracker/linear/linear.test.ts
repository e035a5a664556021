import { describe, expect, it } from "vitest";
import { issueId } from "../../../../src/domain/issue.ts";
import type { TrackerSettings } from "../../../../src/domain/settings.ts";
import { Budget, USUAL } from "../../../../src/tracker/linear/budget.ts";
import { createLinearTracker, linearKind } from "../../../../src/tracker/linear/linear.ts";
import { usualScope } from "../../../contract/tracker-suite.ts";
import { askedIn, json, never, NOW, page, record } from "./line.ts";

const settings: TrackerSettings = {
  kind: "linear",
  endpoint: "https://linear.invalid/graphql",
  apiKey: "lin_api_ATestKey",
  terminalStates: ["Done"],
  ...usualScope,
};
const quiet = { rates: () => {}, rejected: () => {} };

function trackerOn(answers: readonly object[], change: Partial<TrackerSettings> = {}) {
  const left = [...answers];
  const asked: string[] = [];
  const told: string[] = [];
  const budget = new Budget(() => NOW);
  const news = { ...quiet, rejected: (words: readonly string[]) => void told.push(...words) };
  const tracker = createLinearTracker({ ...settings, ...change }, news, () => NOW, {
    budget,
    send: async ({ body }) => {
      asked.push(/Baton\w+/.exec(askedIn(body).query)?.[0] ?? "?");
      return json({ data: left.shift() });
    },
  });
  return { tracker, asked, told, budget };
}

describe("a tracker over Linear", () => {
  it.each([
    ["no project", { projectSlug: " " }, "invalid_tracker_config"],
    ["no key", { apiKey: "" }, "missing_tracker_secret"],
    ["a key that no header can carry", { apiKey: "a\nb" }, "invalid_tracker_config"],
    ["an endpoint in the open", { endpoint: "http://example.com/" }, "invalid_tracker_config"],
  ])("with %s is not made", (_, change, kind) => {
    for (const open of [createLinearTracker, linearKind(() => NOW)])
      expect(() => open({ ...settings, ...change }, quiet, () => NOW)).toThrow(
        expect.objectContaining({ kind }),
      );
  });

  it("looks up its assignee once", async () => {
    const viewer = { viewer: { id: "u", name: "Ada", email: null } };
    const { tracker, asked } = trackerOn([viewer, page([]), page([])], { assignee: "me" });
    await tracker.candidates(never);
    await tracker.candidates(never);
    expect(asked).toEqual(["BatonViewer", "BatonCandidates", "BatonCandidates"]);
  });

  it("tells what it left out of a list, of the sweep too", async () => {
    const { tracker, told } = trackerOn([page([{}]), page([{}])]);
    await tracker.candidates(never);
    await tracker.inStates(["Done"], never);
    expect(told).toEqual([expect.stringContaining("the scan"), expect.stringContaining("the sweep")]);
  });

  it("calls an issue of somebody else not dispatchable", async () => {
    const whole = { ...record(1), assignee: { id: "bob" }, inverseRelations: { nodes: [] } };
    const { tracker } = trackerOn([page([whole]), page([whole])], { assignee: "ada" });
    expect(await tracker.statuses([issueId("id-1")], never)).toMatchObject([{ dispatchable: false }]);
    expect(await tracker.issues([issueId("id-1")], never)).toMatchObject([{ dispatchable: false }]);
  });

  it("puts looks off when their share is used up, and refuses no reading that somebody waits for", async () => {
    const { tracker, budget } = trackerOn([page([])]);
    const { pacer } = tracker;
    expect(pacer?.mayLook(10, false)).toBeNull();
    expect(pacer?.maySurvey()).toBe(true);
    budget.spend("hydration", USUAL.points);
    expect(pacer?.mayLook(10, false)).toMatchObject({
      why: expect.stringContaining("looks at tickets") as string,
    });
    expect(await tracker.issues([issueId("id-1")], never)).toEqual([]);
  });

  it("offers linear_graphql to agents", () => {
    const { tracker } = trackerOn([]);
    const tools = tracker.tools({ mark: "run", publish: () => {}, record: () => {} });
    expect(tools.map(({ name }) => name)).toEqual(["linear_graphql"]);
  });
});
