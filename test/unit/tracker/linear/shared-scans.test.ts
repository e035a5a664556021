import { describe, expect, it } from "vitest";
import { instant } from "../../../../src/domain/time.ts";
import type { CandidateScope } from "../../../../src/tracker/linear/candidates.ts";
import { SharedScans, scansByProject } from "../../../../src/tracker/linear/shared-scans.ts";
import { json, Line, never, NOW, page, record } from "./line.ts";

const scope = (label: string): CandidateScope => ({ states: ["Todo"], labels: [label], assignee: null });
const labelled = (n: number, label: string) => ({ ...record(n), labels: { nodes: [{ name: label }] } });

/** Scans of two trackers; who asks waits until `go`. */
function two() {
  let now = NOW;
  let go: () => void = () => {};
  const shared = new SharedScans(
    "demo",
    () => now,
    () =>
      new Promise<void>((resolve) => {
        go = resolve;
      }),
  );
  const pass = (ms: number): void => {
    now = instant(now + ms);
  };
  return { a: shared.join(), b: shared.join(), shared, go: () => go(), pass };
}

const namesOf = async (list: Promise<{ readonly issues: readonly { readonly identifier: string }[] }>) =>
  (await list).issues.map(({ identifier }) => identifier);

describe("trackers that ask together", () => {
  it("get their parts of one answer", async () => {
    const { a, b, go } = two();
    const [first, second] = [new Line([page([labelled(1, "a"), labelled(2, "b")])]), new Line([])];
    const lists = [
      namesOf(a.list(first.client, scope("a"), never)),
      namesOf(b.list(second.client, scope("b"), never)),
    ];
    go();
    expect(await Promise.all(lists)).toEqual([["MT-1"], ["MT-2"]]);
    expect([first.asked.length, second.asked.length]).toEqual([1, 0]);
  });

  it("get one error", async () => {
    const { a, b, go } = two();
    const line = new Line([json({}, { status: 503 })]);
    const lists = [a.list(line.client, scope("a"), never), b.list(line.client, scope("b"), never)];
    go();
    for (const list of lists) await expect(list).rejects.toMatchObject({ kind: "tracker_status" });
  });

  it("go on when one of them gives up, which is told at once", async () => {
    const { a, b, go } = two();
    const line = new Line([page([labelled(2, "b")])]);
    const leaving = new AbortController();
    const left = a.list(line.client, scope("a"), leaving.signal);
    const stayed = namesOf(b.list(line.client, scope("b"), never));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ kind: "tracker_request" });
    go();
    expect(await stayed).toEqual(["MT-2"]);
  });

  it("that all give up leave nothing under way", async () => {
    const { a, b, go } = two();
    const leaving = new AbortController();
    let aborted = false;
    const line = new Line([], {
      send: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("aborted"));
          });
        }),
    });
    const lists = [
      a.list(line.client, scope("a"), leaving.signal),
      b.list(line.client, scope("b"), leaving.signal),
    ];
    go();
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    for (const list of lists) await expect(list).rejects.toMatchObject({ kind: "tracker_request" });
    expect(aborted).toBe(true);
  });

  it("scan by themselves where that costs less", async () => {
    const { a, b, go } = two();
    const many = (...labels: readonly string[]) => ({ ...scope(""), labels });
    const line = new Line([page([]), page([])]);
    const lists = [
      a.list(line.client, many("a", "b", "c"), never),
      b.list(line.client, many("d", "e", "f"), never),
    ];
    go();
    await Promise.all(lists);
    expect(line.asked).toHaveLength(2);
  });
});

describe("a tracker", () => {
  it("that is alone waits for nobody", async () => {
    const shared = new SharedScans(
      "demo",
      () => NOW,
      () => new Promise(() => {}),
    );
    expect(
      await namesOf(shared.join().list(new Line([page([record(1)])]).client, scope("a"), never)),
    ).toEqual(["MT-1"]);
  });

  it("that has not asked for an hour is no company", async () => {
    const { a, pass } = two();
    pass(60 * 60_000);
    expect(await namesOf(a.list(new Line([page([record(1)])]).client, scope("a"), never))).toEqual(["MT-1"]);
  });

  it("that is back after longer than that is company again", async () => {
    const { a, b, go, pass } = two();
    pass(60 * 60_000);
    await a.list(new Line([page([])]).client, scope("a"), never);
    const line = new Line([page([])]);
    const lists = [b.list(line.client, scope("b"), never), a.list(line.client, scope("a"), never)];
    go();
    await Promise.all(lists);
    expect(line.asked).toHaveLength(1);
  });
});

it("those on one project with one key at one place share their scans, and nobody else", () => {
  const of = scansByProject(() => NOW);
  const place = { endpoint: "https://a/", apiKey: "k", projectSlug: "p" };
  expect(of({ ...place, apiKey: " k " })).toBe(of(place));
  for (const other of [{ endpoint: "https://b/" }, { apiKey: "l" }, { projectSlug: "q" }])
    expect(of({ ...place, ...other })).not.toBe(of(place));
});
