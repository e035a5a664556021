import { expect, test } from "vitest";
import { troubles } from "../../../src/cli/troubles.ts";
import type { FactBody } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";

const rows = (...bodies: readonly FactBody[]) =>
  bodies.map((body, n) => ({ at: instant(n), runId: null, fact: { ...body, at: instant(n) } }));
const warning = (message: string): FactBody => ({ type: "warning", message });

test("the same trouble is one with its count, the latest first", () => {
  expect(troubles(rows(warning("a"), warning("b"), warning("a")))).toEqual([
    { level: "warn", message: "a", count: 2, last: 2 },
    { level: "warn", message: "b", count: 1, last: 1 },
  ]);
});

test("what a person did, and what is no trouble, is not among it", () => {
  expect(
    troubles(
      rows(
        { type: "held", why: "refused", until: null },
        { type: "polled", candidates: 1, tookMs: 1 },
        { type: "parked", reason: "failing", why: "it fails", release: "release it" },
      ),
    ),
  ).toEqual([]);
});

test("no more are told than are read", () => {
  const many = Array.from({ length: 20 }, (_, n) => warning(`number ${n}`));
  expect(troubles(rows(...many)).map(({ message }) => message)).toEqual(
    Array.from({ length: 8 }, (_, n) => `number ${19 - n}`),
  );
});
