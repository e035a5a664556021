import { expect, test } from "vitest";
import { unpainted } from "../../../src/terminal/colour.ts";
import { widthOf } from "../../../src/terminal/text-width.ts";
import { newProgress } from "../../../src/demo/progress.ts";
import type { Seed, Ticket } from "../../../src/demo/progress.ts";
import { doing, frameLines } from "../../../src/demo/view.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";

const seed = (number: number, more: Partial<Seed> = {}): Seed => ({
  id: issueId(`id-${number}`),
  identifier: `DEMO-${number}`,
  title: "Greet the world when nobody is named",
  state: "Todo",
  wanted: true,
  labels: ["agent"],
  blockedBy: [],
  ...more,
});

const ticket = (more: Partial<Ticket> = {}): Ticket => {
  const [fresh] = newProgress([seed(1)]).values();
  if (fresh === undefined) throw new Error("a progress of one ticket has one");
  return { ...fresh, ...more };
};

const frame = (tickets: readonly Ticket[], columns: number, note: string | null = null): readonly string[] =>
  frameLines({
    progress: new Map(tickets.map((one) => [one.identifier, one])),
    startedAt: instant(1_000),
    now: instant(13_400),
    columns,
    paint: unpainted,
    note,
  });

const busy = ticket({
  state: "In Progress",
  runs: 2,
  turns: 3,
  running: true,
  tokens: 12_345,
  last: "$ ./test.sh (exit 0, 80 ms)",
});

test("a ticket is one line with its state, run, turn, tokens and what it is doing", () => {
  const [head, titles, line, ...more] = frame([busy], 80);
  expect(head).toBe("0:12  0 of 1 done, 1 running");
  expect(titles).toBe("TICKET  STATE        RUN  TURN  TOKENS  NOW");
  expect(line).toBe("DEMO-1  In Progress    2     3   12.3k  $ ./test.sh (exit 0, 80 ms)");
  expect(more).toEqual([]);
});

test("titles are shown where there is room for them", () => {
  expect(frame([busy], 120)[2]).toContain("Greet the world");
  expect(frame([busy], 80)[2]).not.toContain("Greet the world");
});

test("no line is as wide as the terminal, which might wrap it", () => {
  const long = { ...busy, last: "漢字 and words ".repeat(30) };
  for (const columns of [60, 80, 100, 110, 120, 200]) {
    for (const line of frame([busy, long], columns, "stopping ".repeat(30)))
      expect(widthOf(line)).toBeLessThan(columns);
  }
});

test("columns stay where they are while states change", () => {
  const at = (state: string): number => frame([{ ...busy, state }], 80)[1]?.indexOf("NOW") ?? -1;
  expect(at("Done")).toBe(at("In Progress"));
});

const now = instant(5_000);
const alone = new Map<string, Ticket>();

test("a ticket with another label says why it is left alone", () => {
  expect(doing(alone, ticket({ wanted: false, labels: ["design"] }), now)).toBe(
    'left alone: labelled "design"',
  );
});

test("a blocked ticket names what it waits for, until that is done", () => {
  const blocked = ticket({ blockedBy: ["DEMO-3"] });
  const with3 = (state: string) => new Map([["DEMO-3", ticket({ identifier: "DEMO-3", state })]]);
  expect(doing(with3("In Progress"), blocked, now)).toBe("waits for DEMO-3");
  expect(doing(with3("Done"), blocked, now)).toBe("waits for its turn");
});

test("a ticket that will be tried again counts the seconds", () => {
  const failed = ticket({ retry: { at: instant(12_100), why: "the provider broke down" } });
  expect(doing(alone, failed, now)).toBe("again in 8 s: the provider broke down");
  expect(doing(alone, failed, instant(12_100))).toBe("again now: the provider broke down");
  expect(doing(alone, { ...failed, running: true, last: "run started" }, now)).toBe("run started");
});
