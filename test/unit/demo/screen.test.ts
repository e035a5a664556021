import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { unpainted } from "../../../src/terminal/colour.ts";
import { newProgress } from "../../../src/demo/progress.ts";
import { LiveScreen, lineScreen } from "../../../src/demo/screen.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const recorder = (rows = 24) => {
  const written: string[] = [];
  return { written, columns: 80, rows, write: (text: string) => written.push(text) };
};

const now = () => instant(Date.now());

const progress = newProgress(
  [1, 2, 3].map((number) => ({
    id: issueId(`id-${number}`),
    identifier: `DEMO-${number}`,
    title: "A ticket",
    state: "Todo",
    wanted: true,
    labels: ["agent"],
    blockedBy: [],
  })),
);

test("without a terminal each thing that happens is one line without escape sequences", () => {
  const terminal = recorder();
  const screen = lineScreen({ terminal, paint: unpainted, now });
  screen.show(progress);
  vi.advanceTimersByTime(1_250);
  screen.tell("DEMO-1", { text: "agent:\n\u001b[31mred\u001b[0m", trouble: false });
  screen.tell(null, { text: "stopping", trouble: true });
  screen.tell("DEMO-1", null);
  screen.end();
  expect(terminal.written).toEqual(["  1.3s  DEMO-1  agent: red\n", "  1.3s          stopping\n"]);
});

test("a thousand changes in a second are at most eleven frames", () => {
  const terminal = recorder();
  const screen = new LiveScreen({ terminal, paint: unpainted, now });
  for (let n = 0; n < 1_000; n++) {
    screen.show(progress);
    vi.advanceTimersByTime(1);
  }
  expect(terminal.written.filter((text) => text.includes("DEMO-1")).length).toBeLessThanOrEqual(11);
  screen.end();
});

test("a frame is drawn over the last one, and the clock runs without news", () => {
  const terminal = recorder();
  const screen = new LiveScreen({ terminal, paint: unpainted, now });
  screen.show(progress);
  vi.advanceTimersByTime(1_600);
  const frames = terminal.written.filter((text) => text.includes("DEMO-1"));
  expect(frames.length).toBeGreaterThan(2);
  // A heading, the titles and three tickets.
  expect(frames.at(-1)?.startsWith("\u001b[5A")).toBe(true);
  expect(frames.at(-1)).toContain("0:01");
  screen.end();
});

test("a terminal lower than the block shows what fits, or the block could not be drawn over", () => {
  const terminal = recorder(4);
  const screen = new LiveScreen({ terminal, paint: unpainted, now });
  screen.show(progress);
  vi.advanceTimersByTime(100);
  expect(terminal.written.at(-1)?.split("\n")).toHaveLength(4);
  screen.end();
});

test("the end shows the last state, gives the cursor back, and nothing comes after it", () => {
  const terminal = recorder();
  const screen = new LiveScreen({ terminal, paint: unpainted, now });
  screen.note("stopping");
  screen.end();
  screen.end();
  screen.show(progress);
  vi.advanceTimersByTime(5_000);
  expect(terminal.written.at(-2)).toContain("stopping");
  expect(terminal.written.at(-1)).toBe("\u001b[?25h");
});
