import { describe, expect, test } from "vitest";
import { OneAtATime } from "../../../src/workspace/one-at-a-time.ts";

describe("work under one name", () => {
  test("is done in order, one piece at a time, whatever came of the piece before", async () => {
    const oneAtATime = new OneAtATime();
    const first = Promise.withResolvers<void>();
    const seen: string[] = [];
    const a = oneAtATime.run("x", async () => {
      seen.push("a begins");
      await first.promise;
      seen.push("a fails");
      throw new Error("a");
    });
    const b = oneAtATime.run("x", async () => seen.push("b"));
    await oneAtATime.run("y", async () => seen.push("another name"));
    first.resolve();
    await expect(a).rejects.toThrow("a");
    await b;
    expect(seen).toEqual(["a begins", "another name", "a fails", "b"]);
  });
});
