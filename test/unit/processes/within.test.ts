import { expect, test } from "vitest";
import { within } from "../../../src/processes/within.ts";

test("work that comes to its end in time is told from work that does not", async () => {
  expect(await within(60_000, Promise.resolve("done"))).toBe(true);
  expect(await within(1, new Promise(() => {}))).toBe(false);
  // A time that has passed already is none.
  expect(await within(-5, new Promise(() => {}))).toBe(false);
});

test("work that fails fails its wait", async () => {
  await expect(within(60_000, Promise.reject(new Error("no")))).rejects.toThrow("no");
});

test("a wait that is over leaves no timer behind", async () => {
  const before = process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
  await within(60_000, Promise.resolve());
  expect(process.getActiveResourcesInfo().filter((one) => one === "Timeout").length).toBe(before);
});
