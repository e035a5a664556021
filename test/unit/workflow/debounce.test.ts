import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { debounced } from "../../../src/workflow/debounce.ts";

describe("one call for a burst", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("comes when it has been quiet", () => {
    let runs = 0;
    const { call } = debounced(() => runs++, { quiet: 60, latest: 1000 });
    call();
    vi.advanceTimersByTime(59);
    call();
    vi.advanceTimersByTime(59);
    expect(runs).toBe(0);
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
    vi.advanceTimersByTime(5000);
    expect(runs).toBe(1);
  });

  test("comes in time although it never gets quiet", () => {
    let runs = 0;
    const { call } = debounced(() => runs++, { quiet: 60, latest: 1000 });
    for (let ms = 0; ms < 1000; ms += 50) {
      call();
      vi.advanceTimersByTime(50);
    }
    expect(runs).toBe(1);
  });

  test("does not come after cancel", () => {
    let runs = 0;
    const { call, cancel } = debounced(() => runs++, { quiet: 60, latest: 1000 });
    call();
    cancel();
    vi.advanceTimersByTime(5000);
    expect(runs).toBe(0);
  });
});
