import { beforeEach, describe, expect, it } from "vitest";
import { unpainted } from "../../../src/terminal/colour.ts";
import { runView } from "../../../src/cli/run-view.ts";
import { outcomeStyle, runsTable, totalsLines } from "../../../src/cli/runs-view.ts";
import { widthOf } from "../../../src/terminal/text-width.ts";
import type { RunRow } from "../../../src/ledger/port.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { now, writeHistory } from "./history.ts";

let rows: readonly RunRow[];
beforeEach(() => {
  const ledger = new MemoryLedger();
  writeHistory(ledger);
  rows = ledger.runs({ limit: 20 });
});

const at = (columns: number) => ({ now, columns, paint: unpainted });

describe("a run as JSON", () => {
  it("has the fields and the spelling of the specification", () => {
    const r3 = rows.find(({ id }) => id === "r3");
    expect(r3 && runView(r3)).toEqual({
      id: "r3",
      workflow: "implement",
      issue_id: "00000000-0000-4000-8000-000000000012",
      issue_identifier: "MT-12",
      attempt: 1,
      kind: "retry",
      outcome: "completed",
      is_live: false,
      error: null,
      started_at: new Date(now - 180 * 60_000).toISOString(),
      ended_at: new Date(now - 118 * 60_000).toISOString(),
      turns: 2,
      thread_id: "thread-MT-12",
      workspace: "/srv/work/MT-12",
      tokens: {
        input_tokens: 1_116_000,
        cached_input_tokens: 868_000,
        output_tokens: 124_000,
        reasoning_output_tokens: 24_800,
        total_tokens: 1_240_000,
      },
    });
  });

  it("is `running` without an end while it is open, and says why it failed when it did", () => {
    const [open, stalled] = rows.map((row) => runView(row));
    expect(open).toMatchObject({ id: "r6", outcome: "running", ended_at: null, error: null });
    expect(stalled).toMatchObject({ outcome: "stalled", error: "The agent said nothing for 5 minutes." });
  });
});

describe("the table of runs", () => {
  it.each([80, 100, 120])("fits a terminal of %i columns", (columns) => {
    for (const line of [...runsTable(rows, at(columns)), ...totalsLines(rows, at(columns))])
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it("tells when, how long, how many turns and tokens, and what went wrong", () => {
    const [heading, r6, , r4, r3] = runsTable(rows, at(120));
    expect(heading).toBe("RUN  ISSUE  OUTCOME    STARTED        AGO    TOOK  TURNS  TOKENS  TITLE OR ERROR");
    expect(r6).toBe(
      "r6   MT-12  running    05-09 11:56  4 min   4m00s      1       0  Log-in page forgets the address somebody came from",
    );
    expect(r4).toContain("timed_out  05-09 10:00    2 h   6m00s      1     950  The hook b");
    expect(r3).toContain("1h02m      2    1.2M  Log-in page");
  });

  it("keeps the error at 80 columns, and of a long one the end", () => {
    const [heading, , , r4] = runsTable(rows, at(80));
    expect(heading).toBe("RUN  ISSUE  OUTCOME    STARTED        TOOK  TOKENS  TITLE OR ERROR");
    expect(r4).toMatch(/The hook…in \/srv\/work\/MT-12\.$/);
  });

  it("calls nothing running that no daemon works on", () => {
    const gone = { ...at(100), isServed: false };
    expect(runsTable(rows, gone)[1]).toContain("cut short");
    expect(totalsLines(rows, gone).join(" ")).toContain("1 cut short");
    expect(rows.map((row) => runView(row, false).is_live)).not.toContain(true);
  });

  it("names the workflow only where there are several", () => {
    const [first, ...others] = rows;
    const two =
      first === undefined ? [] : [{ ...first, workflow: "triage" as RunRow["workflow"] }, ...others];
    expect(runsTable(rows, at(120))[0]).not.toContain("WORKFLOW");
    expect(runsTable(two, at(120))[0]).toContain("WORKFLOW");
  });

  it("shows no escape sequence that a ticket brought along", () => {
    const hostile = rows.map((row) => ({
      ...row,
      title: "\u001b]0;owned\u0007\u001b[2Jtitle",
      ending: null,
    }));
    // oxlint-disable-next-line no-control-regex
    expect(runsTable(hostile, at(120)).join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe("the totals", () => {
  it("add up what is shown", () => {
    expect(totalsLines(rows, at(120))).toEqual([
      "6 runs of 4 issues: 1 running, 1 stalled, 1 timed_out, 2 completed, 1 failed",
      "8 turns, 1h30m of agent time, 1.6M tokens (1.4M in, 1.1M of them cached, 159k out)",
    ]);
  });

  it("never count time backwards when the clock was set back", () => {
    const ahead = rows.map((row) => ({ ...row, startedAt: now, endedAt: null }));
    expect(totalsLines(ahead, { ...at(120), now: (now - 5_000) as typeof now })[1]).toContain(
      "0.0s of agent time",
    );
  });
});

describe("colours of outcomes", () => {
  it("are red for what went wrong and green for what went well", () => {
    expect(["failed", "timed_out", "stalled", "lost"].map((o) => outcomeStyle(o as "failed"))).toEqual(
      Array.from({ length: 4 }, () => "red"),
    );
    expect(outcomeStyle("completed")).toBe("green");
  });
});
