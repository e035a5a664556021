import { expect, test } from "vitest";
import { withDeadline } from "../../../src/processes/deadline.ts";

/** Work that ends only when it is told to, and with what it was told. */
const stubborn = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });

test("work has its answer as long as there is time", async () => {
  expect(await withDeadline(60_000, undefined, async () => "done")).toBe("done");
});

test("work is told when time is up, and how much there was", async () => {
  await expect(withDeadline(5, undefined, stubborn)).rejects.toThrow("longer than 0.005 s");
});

test("work is told when the given signal comes, before or meanwhile", async () => {
  const stop = new AbortController();
  const waiting = withDeadline(60_000, stop.signal, stubborn);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(withDeadline(60_000, stop.signal, stubborn)).rejects.toThrow("enough");
});

test("nothing is left of it when the work is over", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
  const before = timers();
  await expect(withDeadline(60_000, undefined, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(timers()).toBe(before);
});
