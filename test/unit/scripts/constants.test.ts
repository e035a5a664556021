import { expect, test } from "vitest";
import { misnamed } from "../../../scripts/lint/constants.ts";

const number = (value: unknown) => ({ type: "Literal", value });
const named = (name: string) => ({ type: "Identifier", name });
const binary = (left: object, operator: string, right: object) => ({
  type: "BinaryExpression",
  operator,
  left,
  right,
});
const constant = (name: string, init: object, kind = "const") => ({
  type: "VariableDeclaration",
  kind,
  declarations: [{ id: { type: "Identifier", name }, init }],
});
const namesOf = (...body: readonly object[]) => misnamed(body as never).map(({ id }) => id.name);

test("a number, or arithmetic of numbers, at the top of a file is named LIKE_THIS", () => {
  expect(
    namesOf(constant("pauseMs", number(5)), constant("PAUSE_MS", number(5)), constant("A", number(1))),
  ).toEqual(["pauseMs"]);
  expect(namesOf(constant("hour", binary(number(60), "*", number(60_000))))).toEqual(["hour"]);
  expect(namesOf({ type: "ExportNamedDeclaration", declaration: constant("max", number(1)) })).toEqual([
    "max",
  ]);
});

test("what is reckoned from another such number is one too", () => {
  expect(
    namesOf(constant("minute", number(1)), constant("hour", binary(number(60), "*", named("minute")))),
  ).toEqual(["minute", "hour"]);
  expect(namesOf(constant("oldMs", named("DAY_MS")))).toEqual(["oldMs"]);
});

test("texts, things that are made, and variables keep their names", () => {
  expect(
    namesOf(
      constant("hidden", number("***")),
      constant("queue", { type: "NewExpression" }),
      constant("count", number(0), "let"),
      constant("indent", binary(number(" "), "+", number(2))),
    ),
  ).toEqual([]);
});
