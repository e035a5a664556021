import { expect, test } from "vitest";
import { endWords, lastEnd } from "../../../src/cli/last-end.ts";
import type { FactBody } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";

const MINUTE = 60_000;
const now = instant(100 * MINUTE);
const rows = (...bodies: readonly FactBody[]) =>
  bodies.map((body, n) => {
    const at = instant(n * MINUTE);
    return { at, runId: null, fact: { ...body, at } };
  });
const started: FactBody = { type: "daemon_started", version: "1", pid: 1, workflows: ["main"] };
const stopped: FactBody = {
  type: "daemon_stopped",
  uptimeMs: 1,
  scans: [{ workflow: "main", at: instant(7), everyMs: 3 }],
};
const stopping: FactBody = { type: "daemon_stopping", why: "SIGTERM" };
const draining: FactBody = { type: "draining", why: "an upgrade" };
const words = (...bodies: readonly FactBody[]): string | null => {
  const end = lastEnd(rows(...bodies), null);
  return end === null ? null : endWords(end, now);
};

test("a drain and a stop are told with who asked and when, of the last life only", () => {
  expect(words(started, draining, stopped)).toMatch(
    /^The last one was drained \(an upgrade\) and ended \d.* ago\.$/,
  );
  expect(words(started, draining, stopped, started, stopping, stopped)).toMatch(
    /^The last one was stopped \(SIGTERM\) \d.* ago\.$/,
  );
});

test("one that said nothing of its end was killed or failed", () => {
  expect(words(started, stopped, started)).toMatch(/^The last one was killed or ended by an error; its last/);
  expect(words(started, stopping)).toContain("while it came to its end (SIGTERM)");
  expect(lastEnd(rows(started), { at: instant(7), beat: null })?.at).toBe(7);
});

test("where nobody ever ran, or too long ago, nothing is said", () => {
  expect(words()).toBeNull();
  expect(words(draining)).toBeNull();
});

test("what it had scanned by then is known", () => {
  expect(lastEnd(rows(started, stopped), null)?.scans).toEqual(new Map([["main", { at: 7, everyMs: 3 }]]));
});
