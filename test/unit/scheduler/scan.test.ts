import { describe, expect, test } from "vitest";
import { after } from "../../../src/domain/time.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { exit } from "./played.ts";

describe("the tracker", () => {
  test("a running issue is refreshed with every scan", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.pass(30_000);
    expect(bench.take("poll")).toEqual([{ type: "poll", workflow: W, running: [issue.id] }]);
  });

  test("a scan under way is not repeated, and a rate limit moves the next one", () => {
    const bench = new Bench();
    expect(bench.take("poll")).toHaveLength(1);
    bench.pass(90_000);
    expect(bench.take("poll")).toEqual([]);
    const retryAt = after(bench.now, 500_000);
    bench.say({ type: "poll_failed", workflow: W, kind: "rate_limited", error: "slow down", retryAt });
    bench.pass(499_000);
    expect(bench.take("poll")).toEqual([]);
    bench.pass(1000);
    expect(bench.take("poll")).toHaveLength(1);
  });

  test("a rate limit that stays used up pauses dispatch, and is said once a day and not with every try", () => {
    const bench = new Bench();
    const hour = 3_600_000;
    const said = (): number => bench.facts("poll_failed").length + bench.facts("refresh_failed").length;
    for (let n = 0; n < 48; n++) {
      const limited = { workflow: W, kind: "rate_limited", error: "used up" } as const;
      const retryAt = after(bench.now, hour);
      bench.say({ type: "refresh_failed", ...limited });
      bench.say({ type: n % 2 === 0 ? "poll_failed" : "revalidation_failed", ...limited, retryAt });
      bench.pass(hour);
    }
    expect(said()).toBe(2);
    expect(bench.take("sweep").length).toBeLessThanOrEqual(1);
    bench.scan(madeIssue("A-1"));
    expect(bench.take("start")).toHaveLength(1);
    bench.say({ type: "poll_failed", workflow: W, kind: "rate_limited", error: "again", retryAt: null });
    expect(said()).toBe(3);
  });

  test("a waiting issue that a scan leaves out keeps its time to wait while the tracker shows it by id", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const before = bench.claim(issue);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    expect(bench.claim(issue)).toEqual(before);
    bench.answer(issue);
    expect(bench.claim(issue)).toEqual(before);
    expect(bench.take("start")).toHaveLength(1);
  });

  test("a waiting issue that is gone, or done, is let go of with the scan that leaves it out", () => {
    const bench = new Bench();
    const [gone, done] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(gone, done);
    exit(bench, gone, ["port_exit", "it died"]);
    exit(bench, done, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(madeIssue("A-2", { state: "Done" }));
    expect(bench.state.claims.size).toBe(0);
    expect(bench.take("remove")).toMatchObject([{ identifier: "A-2" }]);
  });

  test("more issues left out than one question takes are looked up in turn", () => {
    const bench = new Bench(madePolicy({ agentsMax: 12 }));
    const issues = Array.from({ length: 12 }, (_, n) => madeIssue(`A-${n + 1}`));
    bench.scan(...issues);
    for (const issue of issues) exit(bench, issue, ["port_exit", "it died"]);
    const lookedUp = new Set<string>();
    for (let scans = 0; scans < 2; scans += 1) {
      bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
      const [asked] = bench.take("revalidate");
      expect(asked?.ids).toHaveLength(10);
      for (const id of asked?.ids ?? []) lookedUp.add(id);
      bench.say({ type: "revalidated", workflow: W, ids: asked?.ids ?? [], issues });
    }
    expect(lookedUp.size).toBe(12);
  });

  test("leftovers of finished issues are removed, those of claimed ones are not", () => {
    const bench = new Bench();
    const [busy, done] = [madeIssue("A-1"), madeIssue("A-2", { state: "Done" })];
    bench.scan(busy);
    bench.say({ type: "leftovers_found", workflow: W, issues: [busy, done] });
    expect(bench.take("remove").map((r) => r.identifier)).toEqual(["A-2"]);
  });
});
