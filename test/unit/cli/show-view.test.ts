import { beforeEach, describe, expect, it } from "vitest";
import { claimLines, claimView } from "../../../src/cli/claim-view.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import { CliError } from "../../../src/cli/exit.ts";
import { type ShowLook, showText, showView } from "../../../src/cli/show-view.ts";
import { subjectOf } from "../../../src/cli/show-subject.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import type { Why } from "../../../src/cli/why.ts";
import type { Fact, FactBody } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";
import type { Gate } from "../../../src/scheduler/explain.ts";
import { ago, dates, fact, now, parked, r3, waiting, writeHistory, login } from "./history.ts";

let ledger: MemoryLedger;
beforeEach(() => {
  ledger = new MemoryLedger();
  writeHistory(ledger);
});

const look: ShowLook = {
  now,
  columns: 100,
  paint: unpainted,
  timeline: { columns: 100, paint: unpainted, verbose: false },
};
const page = (name: string, events = 200): string =>
  showText({ ...subjectOf(ledger, name, events), why: null }, look);

describe("the page of an issue", () => {
  it("begins with who it is, what holds it and what it has used", () => {
    expect(page("mt-12").split("\n").slice(0, 7)).toEqual([
      "MT-12  Log-in page forgets the address somebody came from",
      "now       running: r6 for 4m00s",
      "state     In Progress (as last seen)",
      "link      https://linear.app/acme/issue/MT-12",
      "used      3 runs, 3 turns, 1.2M tokens (1.1M in, 868k of them cached, 124k out)",
      "limits    since the last release by a person: 3 runs, 0 failures in a row, 1.3M tokens (1.2M in,",
      "          902k of them cached, 129k out)",
    ]);
  });

  it("shows what the agent does just now, with its age, and as JSON", () => {
    const doing = { work: [{ what: "$ npm test", since: instant(now - 123_000) }], at: now };
    const page = { ...subjectOf(ledger, "MT-12", 50), why: null, doing };
    expect(showText(page, look).split("\n").slice(1, 3)).toEqual([
      "now       running: r6 for 4m00s",
      "doing     $ npm test, for 2m03s",
    ]);
    expect(showView(page, true).under_way).toEqual([
      { what: "$ npm test", since: new Date(now - 123_000).toISOString() },
    ]);
    expect(showView({ ...subjectOf(ledger, "MT-12", 50), why: null }, true).under_way).toEqual([]);
  });

  it("tells the runs in the order in which they happened, with times from each one's start", () => {
    const text = page("MT-12");
    const heads = ["r2  first run: failed", "r3  retry 1: completed", "r6  continuation: running"];
    const places = heads.map((head) => text.indexOf(head));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(text).toContain("    0:42  $ npm test (exit 0, 12.0 s)");
    expect(text).toContain("    1:00  linear_graphql: CommentOnTicket (180 ms)");
    expect(text).toContain("    3:21  turn 1 completed: Fixed, tested and committed. (1.2M tokens)");
    expect(text).toContain(" 1:02:00  run completed (2 turns");
  });

  it("ends a failed run with why, what to do and what the program said last", () => {
    const lines = page("r2").split("\n").slice(-7);
    expect(lines).toEqual([
      "    0:03  run failed (0 turns, no tokens, 3.0 s)",
      "",
      "          hook_failed: The hook before_run exited with code 1 in /srv/work/MT-12.",
      "          What to do: Run the hook by hand in that directory, then wait for the next attempt.",
      "          | npm error code ENOTFOUND",
      "          | npm error network request failed",
      "          | npm error no such host",
    ]);
  });

  it("leaves out the machinery unless it is asked for", () => {
    expect(page("r3")).not.toContain("reused workspace");
    const all = showText(
      { ...subjectOf(ledger, "r3", 200), why: null },
      {
        ...look,
        timeline: { ...look.timeline, verbose: true },
      },
    );
    expect(all).toContain("    0:01  reused workspace /srv/work/MT-12");
  });

  it("says so when the timeline is longer than what is shown, and shows its end", () => {
    const text = page("r3", 2);
    expect(text).toContain("Earlier entries are left out");
    expect(text).not.toContain("npm test");
    expect(text).toContain("run completed");
    expect(page("r3")).not.toContain("left out");
  });

  it("counts a turn's tokens from where the turn began", () => {
    ledger.append(fact(r3, 300, { type: "turn_started", turn: 2 }));
    const more = { input: 1, cachedInput: 0, output: 1, reasoningOutput: 0, total: 1_250_000 };
    ledger.append(fact(r3, 320, { type: "usage", total: more }));
    ledger.append(
      fact(r3, 330, { type: "turn_ended", turn: 2, status: "completed", failure: null, message: null }),
    );
    expect(page("r3")).toContain("turn 2 completed (10k tokens)");
  });

  it("shows no escape sequence that a ticket or a program brought along", () => {
    // oxlint-disable-next-line no-control-regex
    expect(page("MT-14") + page("r2")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe("the claim", () => {
  it("says until when it waits and why", () => {
    expect(claimLines(waiting, now)).toEqual([
      "waiting: retry 1 in 40 s (2031-05-09 12:00:40)",
      "because The agent said nothing for 5 minutes.",
    ]);
  });

  it("says why it is parked and what releases it", () => {
    expect(claimLines(parked, now)).toEqual([
      "parked (failing) since 2031-05-09 11:00:00: 10 runs in a row failed.",
      "to release it: Move the ticket to another state and back, or change its labels.",
    ]);
  });

  it("is released when nothing holds it", () => {
    expect(claimView(null)).toEqual({ phase: "released" });
  });

  it("of a daemon that is gone was running, and nothing runs", () => {
    const text = showText({ ...subjectOf(ledger, "MT-12", 200), why: null }, { ...look, isServed: false });
    expect(text).toContain("was running (r6) when Baton's process ended; the next start takes it up");
    expect(text).toContain("r6  continuation: cut short");
    expect(text).toContain("until the last sign of life");
    expect(text).not.toContain(": running");
  });
});

describe("a ticket that nobody holds", () => {
  const letGo = (seconds: number, body: FactBody): Fact => ({
    ...body,
    at: ago(10 - seconds / 60),
    workflow: r3.workflow,
    issueId: dates.id,
    identifier: dates.identifier,
  });
  const explained = (state: string, more: Partial<Gate> = {}): Why => ({
    issue: { ...dates, state },
    reasons: [
      {
        workflow: "implement",
        path: "/srv/WORKFLOW.md",
        explanation: {
          verdict: "It does not start.",
          gates: [
            { name: "state", open: false, value: `its state "${state}" is terminal`, opensAt: null, ...more },
          ],
        },
      },
    ],
    notAsked: [],
  });
  const pageWith = (why: Why | null): string => showText({ ...subjectOf(ledger, "MT-13", 50), why }, look);

  it("is called what it is, with when it was let go of, and keeps its state and link", () => {
    ledger.append(letGo(0, { type: "released", why: 'it is done ("Done")' }));
    expect(pageWith(explained("Done", { isEnd: true }))).toContain(
      'now       done: its state "Done" is terminal\n          released: it is done ("Done") (10 min ago)\nstate     Done (in the tracker now)',
    );
    expect(pageWith(null)).toContain(
      'now       released: it is done ("Done") (10 min ago)\nstate     In Progress (as last seen)',
    );
    expect(pageWith(null)).toContain("link      https://linear.app/acme/issue/MT-13");
  });

  it("is not called done when it is only not active, nor called anything by a tracker that was not asked", () => {
    expect(pageWith(explained("In Review"))).toContain("now       not worked on: its state");
    expect(pageWith({ ...explained("x"), issue: "gone" })).toContain(
      "now       gone: the tracker shows no such issue",
    );
    expect(pageWith({ ...explained("x"), issue: "unknown" })).toContain("now       nothing holds it");
  });

  it("has releases, rescues and removals in its story, between the runs", () => {
    const removed = letGo(60, { type: "workspace_removed", path: "/srv/work/MT-13" });
    ledger.append(letGo(0, { type: "unparked", why: "somebody released it" }));
    ledger.append(letGo(30, { type: "release_ordered", during: "waiting", why: "somebody released it" }));
    ledger.append(removed);
    const text = pageWith(null);
    expect(text).toMatch(/\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}no longer parked: somebody released it\n/);
    expect(text).toContain("due now, and its counters start again: somebody released it");
    expect(text).toContain("removed workspace /srv/work/MT-13");
    const { timeline } = showView({ ...subjectOf(ledger, "MT-13", 50), why: null }, true);
    expect(timeline.map(({ type }) => type)).toContain("workspace_removed");
  });
});

describe("the JSON", () => {
  it("has issue, runs and timeline", () => {
    const { issue, runs, timeline } = showView({ ...subjectOf(ledger, "MT-12", 200), why: null }, true);
    expect(issue).toMatchObject({
      id: login.id,
      identifier: "MT-12",
      claim: { phase: "running", run_id: "r6", kind: "continuation" },
      tally: { runs: 3, failures: 0, tokens: { total_tokens: 1_288_200 } },
    });
    expect(runs.map(({ id }) => id)).toEqual(["r6", "r3", "r2"]);
    expect(timeline.find(({ type }) => type === "command_ran")).toEqual({
      at: new Date(r3.startedAt + 42_000).toISOString(),
      run_id: "r3",
      type: "command_ran",
      level: "info",
      message: "$ npm test (exit 0, 12.0 s)",
      fact: { command: "npm test", status: "completed", exit_code: 0, took_ms: 12_000, output: "42 passed" },
    });
  });

  it.each([
    [waiting, { phase: "waiting", retry_at: new Date(now + 40_000).toISOString(), attempt: 1 }],
    [parked, { phase: "parked", reason: "failing", why: "10 runs in a row failed." }],
  ])("tells each phase of a claim", (claim, view) => expect(claimView(claim)).toMatchObject(view));
});

describe("a name", () => {
  it("may be the beginning of a run's id, an identifier in any case, or an issue's id", () => {
    expect(subjectOf(ledger, "mt-13", 10).runs.map(({ id }) => id)).toEqual(["r1"]);
    expect(subjectOf(ledger, login.id, 10).of).toBe("issue");
    expect(subjectOf(ledger, "r6", 10)).toMatchObject({ of: "run", runs: [{ id: "r6" }] });
  });

  it("that nobody knows fails with those that are near", () => {
    expect(() => subjectOf(ledger, "XX-14", 10)).toThrow(
      new CliError(1, 'The ledger knows no issue and no run called "XX-14". Did you mean MT-14?'),
    );
    expect(() => subjectOf(ledger, "nothing", 10)).toThrow("`baton runs` lists what the ledger knows.");
  });
});
