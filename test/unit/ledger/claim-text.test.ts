import * as fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimText, CLAIM_VERSION, parseClaim, parseFailure } from "../../../src/ledger/claim-text.ts";
import type { Claim } from "../../../src/scheduler/state.ts";
import { aClaim } from "../../contract/ledger-shapes.ts";
import { run, running } from "../../contract/ledger-records.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/ledger");

/** Claims as each released version wrote them, all phases and every field that may be missing. */
const kept = readdirSync(fixtures).map((release): readonly [string, readonly string[]] => [
  release,
  readFileSync(join(fixtures, release, "claims.jsonl"), "utf8")
    .trimEnd()
    .split("\n"),
]);

/**
 * What has become of a claim's fields since: the way out of a parked claim was called a release, a running one had no scan,
 * nobody kept whose an issue is, and
 * a waiting one did not say that it is held.
 */
const sinceThen = ({ release, ...claim }: Record<string, unknown>): unknown => ({
  ...claim,
  ...(claim["phase"] === "waiting" && isRefusal(claim["failure"]) && { held: true }),
  ...(release !== undefined && { wayOut: release }),
  ...(claim["phase"] === "running" && { seenDuring: 0 }),
  issue: { ...Object(claim["issue"]), nativeRef: null, assigneeId: null },
});

const isRefusal = (failure: unknown): boolean =>
  /"kind":"(usage_limit|rate_limited|unauthorized|model_not_found)"/.test(JSON.stringify(failure) ?? "");

test("a claim of any shape is read back as it was", () => {
  fc.assert(
    fc.property(aClaim, (claim) => {
      expect(parseClaim(claimText(claim))).toEqual(claim);
    }),
    { seed: 7 },
  );
});

test.each(kept)("what %s wrote is read, and means what it meant", (_, lines) => {
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) {
    const claim = parseClaim(line);
    expect(claim).toEqual(sinceThen(JSON.parse(line)));
    expect(parseClaim(claimText(claim))).toEqual(claim);
  }
});

test.each(kept)("what is kept of %s has every phase, and each field that may be missing", (_, lines) => {
  const claims = lines.map((line) => parseClaim(line));
  const has = (fits: (claim: Claim) => boolean): boolean => claims.some(fits);
  for (const phase of ["running", "waiting", "parked"])
    expect(has((claim) => claim.phase === phase)).toBe(true);
  expect(has((claim) => claim.phase === "parked" && claim.unseen === true)).toBe(true);
  expect(has((claim) => claim.phase === "running" && claim.leave !== null && claim.ending !== null)).toBe(
    true,
  );
  expect(has((claim) => claim.phase === "waiting" && claim.failure?.resetsAt !== null)).toBe(true);
});

test("what is written carries its version", () => {
  expect(JSON.parse(claimText(running(run(1))))).toMatchObject({ version: CLAIM_VERSION, phase: "running" });
});

test("a claim of a later version is refused, and so is what is no claim: by the field that is wrong", () => {
  const text = (change: object): string =>
    JSON.stringify({ ...JSON.parse(claimText(running(run(1)))), ...change });
  expect(() => parseClaim(text({ version: CLAIM_VERSION + 1 }))).toThrow(
    /is of version \d+, this one knows up to/,
  );
  expect(() => parseClaim(text({ phase: "gone" }))).toThrow(/none of the words known here: "gone"/);
  expect(() => parseClaim(text({ turns: "4" }))).toThrow(/\.turns is no number: "4"/);
  expect(() => parseClaim(text({ run: { id: "r1" } }))).toThrow(/\.run\.issueId is no text: nothing/);
  expect(() => parseClaim("[]")).toThrow(/is no object/);
  expect(() => parseClaim("not json")).toThrow(/is no JSON/);
});

test("what a claim has besides its fields is left out", () => {
  const more = JSON.stringify({ ...JSON.parse(claimText(running(run(1)))), mood: "calm" });
  expect(parseClaim(more)).toEqual(running(run(1)));
});

test("a failure of a kind that another version had keeps its message", () => {
  const json = JSON.stringify({
    kind: "bad_weather",
    message: "It rained.",
    hint: null,
    detail: null,
    resetsAt: null,
  });
  expect(parseFailure(json)).toMatchObject({ kind: "internal", message: "It rained." });
});
