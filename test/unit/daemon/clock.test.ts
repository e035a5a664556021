import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realClock } from "../../../src/daemon/clock.ts";
import { after } from "../../../src/domain/time.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a wall clock that is set neither fires nor delays a deadline", () => {
  const clock = realClock();
  const before = clock.now();
  let rung = 0;
  clock.alarm(() => rung++).ringAt(after(before, 1_000));
  vi.setSystemTime(Date.now() + 86_400_000);
  expect(clock.now() - before).toBeLessThan(1_000);
  expect(rung).toBe(0);
  vi.advanceTimersByTime(1_001);
  expect(rung).toBe(1);
});

test("the last wish counts: what was asked for before does not ring, and null is silence", () => {
  const clock = realClock();
  let rung = 0;
  const alarm = clock.alarm(() => rung++);
  alarm.ringAt(after(clock.now(), 10));
  alarm.ringAt(after(clock.now(), 1_000));
  vi.advanceTimersByTime(500);
  expect(rung).toBe(0);
  alarm.ringAt(null);
  vi.advanceTimersByTime(5_000);
  expect(rung).toBe(0);
});

test("an alarm beyond what a timer can count rings early rather than at once", () => {
  const clock = realClock();
  let rung = 0;
  clock.alarm(() => rung++).ringAt(after(clock.now(), 2 ** 40));
  vi.advanceTimersByTime(60_000);
  expect(rung).toBe(0);
  vi.advanceTimersByTime(3_600_000);
  expect(rung).toBe(1);
});
