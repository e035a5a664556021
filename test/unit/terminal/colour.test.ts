import { expect, it } from "vitest";
import { paintFor } from "../../../src/terminal/colour.ts";

const red = (isTerminal: boolean, env: Record<string, string>): string =>
  paintFor({ isTerminal }, env)("red", "x");

it("there are colours on a terminal", () =>
  expect(red(true, { TERM: "xterm" })).toBe("\u001b[31mx\u001b[39m"));

it.each([
  [false, {}],
  [true, { NO_COLOR: "1" }],
  [true, { TERM: "dumb" }],
])("there are none with terminal %s and %j", (terminal, env) => expect(red(terminal, env)).toBe("x"));

it("an empty NO_COLOR says nothing", () => expect(red(true, { NO_COLOR: "" })).not.toBe("x"));
