import { expect, test } from "vitest";
import { issueId } from "../../../src/domain/issue.ts";
import { after } from "../../../src/domain/time.ts";
import {
  IN_FLIGHT_MS,
  isAlone,
  isSystemic,
  noSigns,
  suffices,
  withFailure,
  withRefusal,
  withSuccess,
} from "../../../src/scheduler/signs.ts";
import { T0 } from "./made.ts";

const [ONE, TWO, THREE] = [issueId("1"), issueId("2"), issueId("3")];
const HOOK = { kind: "hook_failed", overBy: "opened" } as const;
const soon = after(T0, 1_000);
const later = after(T0, IN_FLIGHT_MS + 1_000);

test("a completed turn was answered; it says nothing of whether another run can begin", () => {
  expect(suffices("completed", "answered")).toBe(true);
  expect(suffices("completed", "opened")).toBe(false);
  expect(suffices("answered", "completed")).toBe(false);
});

test("where nothing is amiss nothing is remembered", () => {
  expect(withSuccess(noSigns, "answered", ONE, T0)).toBe(noSigns);
});

test("an issue is alone when another one was answered since it was refused, and not by what was under way", () => {
  const refused = withRefusal(noSigns, ONE, T0, false);
  expect(isAlone(refused, "answered", ONE)).toBe(false);
  expect(isAlone(withSuccess(refused, "answered", TWO, soon), "answered", ONE)).toBe(false);
  expect(isAlone(withSuccess(refused, "answered", ONE, later), "answered", ONE)).toBe(false);
  const other = withSuccess(refused, "answered", TWO, later);
  expect(isAlone(other, "answered", ONE)).toBe(true);
  expect(isAlone(other, "opened", ONE)).toBe(false);
  expect(isAlone(withSuccess(other, "answered", ONE, after(later, 1)), "answered", ONE)).toBe(true);
  expect(isAlone(withSuccess(other, "completed", ONE, after(later, 1)), "answered", ONE)).toBe(false);
});

test("an issue that is tried again at once does not put off what tells that it is alone", () => {
  const again = withRefusal(withRefusal(noSigns, ONE, T0, false), ONE, soon, false);
  expect(isAlone(withSuccess(again, "answered", TWO, after(T0, IN_FLIGHT_MS + 500)), "answered", ONE)).toBe(
    true,
  );
});

test("three different issues that fail alike in a row are systemic; one that fails often is not", () => {
  const once = withFailure(noSigns, HOOK, ONE);
  const twice = withFailure(once, HOOK, ONE);
  expect(isSystemic(twice, HOOK, ONE)).toBe(false);
  const two = withFailure(twice, { ...HOOK, kind: "hook_timeout" }, TWO);
  expect(isSystemic(two, HOOK, ONE)).toBe(false);
  expect(isSystemic(two, HOOK, THREE)).toBe(true);
  expect(two.streak?.failures).toEqual(
    new Map([
      [ONE, 2],
      [TWO, 1],
    ]),
  );
  expect(isSystemic(two, { kind: "port_exit", overBy: "opened" }, THREE)).toBe(false);
  expect(isSystemic(withSuccess(two, "opened", THREE, soon), HOOK, THREE)).toBe(false);
  expect(isSystemic(withSuccess(two, "completed", THREE, soon), HOOK, THREE)).toBe(true);
});

test("more refusals than issues can wait at once are forgotten, the oldest first", () => {
  let signs = noSigns;
  for (let n = 0; n <= 100; n += 1) signs = withRefusal(signs, issueId(`i${n}`), T0, false);
  expect([signs.refused.size, signs.refused.has(issueId("i0"))]).toEqual([100, false]);
});
