import { expect, test } from "vitest";
import { type Present, troubles as allTroubles } from "../../../src/cli/troubles.ts";
import { type FactBody, unreadableTopic } from "../../../src/domain/fact.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";

const rows = (...bodies: readonly FactBody[]) =>
  bodies.map((body, n) => ({ at: instant(n), runId: null, fact: { ...body, at: instant(n) } }));
const present: Present = { now: instant(1_000), servingSince: null, scans: new Map() };
const troubles = (of: ReturnType<typeof rows>, more: Partial<Present> = {}) =>
  allTroubles(of, { ...present, ...more });
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

const failed: FactBody = { type: "poll_failed", kind: "tracker_status", error: "500", retryAt: null };
const of = (workflow: string, body: FactBody): FactBody => Object.assign({}, body, { workflow });
const ofMain = (body: FactBody): FactBody => of("main", body);
const scan = (at: number) => new Map([["main", { at: instant(at), everyMs: 1 }]]);

test("what is mended is no trouble any more", () => {
  const over: FactBody = { type: "warning", message: "it can be written again", topic: "ledger", over: true };
  const stuck: FactBody = { type: "warning", message: "it cannot be written", topic: "ledger" };
  const rejected: FactBody = { type: "workflow_rejected", path: "/W.md", error: "line 1" };
  const loaded: FactBody = { type: "workflow_loaded", path: "/W.md", hash: "h", warnings: [] };
  expect(troubles(rows(stuck, over))).toEqual([]);
  expect(troubles(rows({ type: "disk_low", why: "full" }, { type: "disk_ok" }))).toEqual([]);
  expect(troubles(rows(rejected, loaded))).toEqual([]);
  expect(troubles(rows(ofMain(failed)), { scans: scan(1) })).toEqual([]);
  expect(troubles(rows(warning("of an earlier life")), { servingSince: instant(1) })).toEqual([]);
  expect(troubles(rows({ type: "day_limit_reached", used: 2, max: 1, until: instant(999) }))).toEqual([]);
});

test("a workspace that could not be removed is no trouble once it is, and what is kept of another one still is", () => {
  const kept = (id: string): FactBody =>
    Object.assign({ type: "workspace_kept", path: id, error: "EACCES" } as const, { issueId: issueId(id) });
  const removed = Object.assign({ type: "workspace_removed", path: "/w" } as const, {
    issueId: issueId("a"),
  });
  expect(troubles(rows(kept("a"), kept("b"), removed)).map(({ message }) => message)).toEqual([
    "workspace b could not be removed: EACCES",
  ]);
  expect(troubles(rows(removed, kept("a")))).toHaveLength(1);
});

test("a sweep that did not work is mended by one of the same workflow that does", () => {
  const broken: FactBody = { type: "warning", message: "the sweep did not work", topic: "sweep" };
  const works: FactBody = { type: "warning", message: "it works again", topic: "sweep", over: true };
  expect(troubles(rows(ofMain(broken), ofMain(works)))).toEqual([]);
  expect(troubles(rows(ofMain(broken), of("other", works)))).toHaveLength(1);
});

test("what is not mended stays: what came after the last good look, or is of something else", () => {
  const stuck: FactBody = { type: "warning", message: "it cannot be written", topic: "ledger" };
  const over: FactBody = { type: "warning", message: "it can be written again", topic: "ledger", over: true };
  expect(troubles(rows(over, stuck))).toHaveLength(1);
  expect(troubles(rows(ofMain(failed)), { scans: scan(0) })).toHaveLength(1);
  expect(troubles(rows(of("other", failed)), { scans: scan(1) })).toHaveLength(1);
});

test("a record that a list leaves out is a trouble until it is taken back, one that was asked for until a scan or two later", () => {
  const left = ofMain({ type: "tracker_record_rejected", error: "MT-1" });
  const another = ofMain({ type: "tracker_record_rejected", error: "MT-2" });
  const topic = unreadableTopic("MT-1");
  const over = ofMain({ type: "warning", message: "no longer so", topic, over: true });
  expect(troubles(rows(left), { scans: scan(3) })).toHaveLength(1);
  expect(troubles(rows(left, another, over)).map(({ message }) => message)).toEqual([
    expect.stringContaining("MT-2"),
  ]);
  expect(troubles(rows(left, over, left))).toHaveLength(1);
  const byId: FactBody = Object.assign({}, left, { issueId: issueId("i-1") });
  expect(troubles(rows(byId), { scans: scan(1) })).toHaveLength(1);
  expect(troubles(rows(byId), { scans: scan(3) })).toEqual([]);
});
