import { expect, test } from "vitest";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { nameOf, obstacle, obstacles } from "../../../src/scheduler/answers.ts";
import { runId } from "../../../src/domain/run.ts";
import type { Lane, State } from "../../../src/scheduler/state.ts";
import { madeHold, madeLane, madePolicy, madeState, OTHER, T0, W } from "./made.ts";

const pause = { why: "freeze", since: T0, until: null };

test.each<readonly [string, Partial<Lane>, Partial<State>, RegExp | null]>([
  ["nothing", {}, {}, null],
  ["a drain", {}, { phase: "draining" }, /^Baton is draining: it goes on at the next start$/],
  ["a pause of everything", {}, { pauses: new Map([[EVERYTHING, pause]]) }, /goes on with `baton resume`$/],
  ["its own pause", {}, { pauses: new Map([[W, pause]]) }, /`baton resume --workflow main`$/],
  ["a broken file", { broken: "line 1" }, {}, /WORKFLOW\.md cannot be used/],
  ["a full disk", { diskLow: "1 GiB is free" }, {}, /when there is room: 1 GiB is free$/],
  ["a hold", { hold: madeHold() }, {}, /^one run tries now whether the provider works again; the others/],
  [
    "a Codex that lacks something",
    { hold: madeHold({ cause: "installation", kind: "codex_unfit", why: "It lacks x." }) },
    {},
    /^it is held: It lacks x\. It is looked now whether that is over$/,
  ],
  [
    "a trial",
    { hold: madeHold({ cause: "installation", trial: runId("r1") }) },
    {},
    /^one run is trying already whether a run can begin here again/,
  ],
])("what keeps a workflow from going on, and what has to happen: %s", (_what, lane, state, words) => {
  const known = madeLane(lane);
  const why = obstacle(madeState(known, [], state), known);
  if (words === null) expect(why).toBeNull();
  else expect(why).toMatch(words);
});

test("of several workflows each says its own, and what is the same for all is said once", () => {
  const [one, two] = [madeLane(), madeLane({ policy: madePolicy({ workflow: OTHER }), broken: "line 1" })];
  const state = madeState(one);
  expect(obstacles(state, [one, two])).toMatch(/^workflow "\w+": its WORKFLOW\.md cannot be used/);
  const draining = madeState(one, [], { phase: "draining" });
  expect(obstacles(draining, [one, two])).toBe("Baton is draining: it goes on at the next start");
  expect([nameOf(EVERYTHING), nameOf(W)]).toEqual(["everything", 'workflow "main"']);
});
