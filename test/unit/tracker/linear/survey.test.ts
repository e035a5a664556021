import { expect, test } from "vitest";
import type { TrackerSettings } from "../../../../src/domain/settings.ts";
import { countOpen, idOf, vocabulary } from "../../../../src/tracker/linear/survey.ts";
import { usualScope } from "../../../contract/tracker-suite.ts";
import { Line, never, page } from "./line.ts";

const settings: TrackerSettings = {
  kind: "linear",
  endpoint: "https://linear.invalid/graphql",
  apiKey: "lin_api_ATestKey",
  terminalStates: ["Done"],
  ...usualScope,
  requiredLabels: ["baton"],
};
const ids = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `id-${n}` }));

test("an identifier is looked up by team and number, an id stands for itself, and nobody's name for nothing", async () => {
  const line = new Line([{ issues: { nodes: [{ id: "id-7" }] } }, { issues: { nodes: [] } }]);
  expect(await idOf(line.client, " eng-12 ", never)).toBe("id-7");
  expect(await idOf(line.client, "ENG-13", never)).toBeNull();
  expect(await idOf(line.client, "7c1e", never)).toBe("7c1e");
  expect(line.asked.map(({ variables }) => variables)).toEqual([
    { team: "eng", number: 12, first: 1 },
    { team: "ENG", number: 13, first: 1 },
  ]);
});

test("open issues are counted over the pages, and no further than anybody wants to know", async () => {
  const short = new Line([page(ids(250), "c1"), page(ids(3))]);
  expect(await countOpen(short.client, settings, never)).toEqual({ count: 253, isAll: true });
  const long = new Line(Array.from({ length: 9 }, (_, n) => page(ids(250), `c${n}`)));
  expect(await countOpen(long.client, settings, never)).toEqual({ count: 1_000, isAll: false });
  expect(long.asked).toHaveLength(4);
});

test("names are read with the project: the states of each team, and labels once each", async () => {
  const team = (key: string, ...names: readonly string[]) => ({
    key,
    states: { nodes: names.map((name) => ({ name })) },
  });
  const line = new Line([
    {
      projects: {
        nodes: [{ name: "Web", teams: { nodes: [team("ENG", "Todo", "Done"), team("OPS", "Next")] } }],
      },
      issueLabels: { nodes: [{ name: "bug" }, { name: "Baton" }], pageInfo: { hasNextPage: true } },
      named: { nodes: [{ name: "baton" }] },
    },
    { projects: { nodes: [] }, issueLabels: { nodes: [] }, named: { nodes: [] } },
  ]);
  expect(await vocabulary(line.client, settings, never)).toEqual({
    scope: "Web",
    states: [
      { of: "team ENG", names: ["Todo", "Done"] },
      { of: "team OPS", names: ["Next"] },
    ],
    labels: ["Baton", "bug"],
    isAllLabels: false,
  });
  expect(await vocabulary(line.client, settings, never)).toMatchObject({ scope: null, states: [] });
});
