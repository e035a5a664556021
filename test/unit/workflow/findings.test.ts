import { expect, test } from "vitest";
import { Findings } from "../../../src/workflow/findings.ts";

const lines: Readonly<Record<string, number>> = { "b.c": 2, a: 9, b: 1 };
const findings = (): Findings => new Findings((key) => ({ line: lines[key.join(".")] ?? 1, column: 1 }));

test("problems come in the order of the file, not in that in which they were found", () => {
  const found = findings();
  found.problem(["a"], "late");
  found.problem(["b", "c"], "early");
  expect(found.problems.map(({ text }) => text)).toEqual(["early", "late"]);
});

test("a key below one that has a problem is blamed already, its neighbours are not", () => {
  const found = findings();
  found.problem(["b"], "no map");
  expect([found.blames(["b"]), found.blames(["b", "c"]), found.blames(["a"])]).toEqual([true, true, false]);
});

test("warnings beyond fifty are counted, and their words are not even made", () => {
  const found = findings();
  let made = 0;
  for (let n = 0; n < 60; n++)
    found.warn(["a"], () => {
      made++;
      return "odd";
    });
  const said = found.warnings("W.md");
  expect([made, said.length, said.at(-1)]).toEqual([50, 51, "W.md: and 10 more warnings"]);
});
