import { expect, test } from "vitest";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { after, type Instant } from "../../../src/domain/time.ts";
import type { Decision } from "../../../src/scheduler/effects.ts";
import { Bench, T0 } from "./made.ts";

const HOUR = 3_600_000;

const answerIn = ({ records }: Decision): string =>
  records.flatMap((record) => (record.type === "order_done" ? [record.answer] : [])).join();

const pause = (bench: Bench, why: string, until: Instant | null = null): string =>
  answerIn(bench.order({ type: "pause", scope: EVERYTHING, why, until }));

const wasPaused = (time: string): string => `everything was paused already, for ${time} ("release freeze")`;

test("a second pause says what the first one was, keeps its beginning, and takes the new reason", () => {
  const bench = new Bench();
  expect(pause(bench, "release freeze")).toBe("everything is paused");
  bench.pass(HOUR);
  expect(pause(bench, "migration")).toBe(`${wasPaused("1 h")}; the reason is now "migration"`);
  expect(bench.state.pauses.get(EVERYTHING)).toEqual({ why: "migration", since: T0, until: null });
  expect(bench.facts("paused")[1]).toMatchObject({
    why: "migration",
    before: { why: "release freeze", since: T0 },
  });
});

test("a second pause brings the end of the first no nearer, and says so", () => {
  const bench = new Bench();
  pause(bench, "release freeze");
  expect(pause(bench, "lunch", after(T0, HOUR))).toBe(
    `${wasPaused("0 ms")}; the reason is now "lunch"; it lasts until somebody resumes as before: to make it shorter, \`baton resume\` first`,
  );
  bench.pass(2 * HOUR);
  expect(bench.state.pauses.size).toBe(1);
});

test("a second pause that lasts longer makes it last longer", () => {
  const bench = new Bench();
  pause(bench, "release freeze", after(T0, HOUR));
  expect(pause(bench, "release freeze", after(T0, 2 * HOUR))).toBe(
    `${wasPaused("0 ms")}; it lasts for another 2 h now`,
  );
  bench.pass(HOUR);
  expect(bench.state.pauses.size).toBe(1);
  bench.pass(HOUR);
  expect(bench.state.pauses.size).toBe(0);
});
