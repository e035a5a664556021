import { describe, expect, it } from "vitest";
import { RateGate } from "../../../../src/tracker/linear/rate-gate.ts";
import { json, KEY, Line, never, NOW } from "./line.ts";

const request = { what: "a question", document: "query Q { a }", variables: { b: 1 } };

describe("a request", () => {
  it("carries the document, the variables and the key", async () => {
    const line = new Line([{ a: 1 }]);
    expect(await line.client.data(request, never)).toEqual({ a: 1 });
    expect(line.asked[0]).toMatchObject({ query: request.document, variables: request.variables });
    expect(line.asked[0]?.headers["authorization"]).toBe(KEY);
  });

  it.each([
    ["query Q { a }", true],
    ["query($id: String!) { a }", true],
    ["\n  query{ a }", true],
    ["{ a }", true],
    ["mutation { a }", false],
    ["mutation M { query }", false],
  ])("may be sent again on another connection when it only reads: %s", async (document, repeatable) => {
    const line = new Line([{ a: 1 }]);
    await line.client.data({ ...request, document }, never);
    expect(line.asked[0]?.repeatable).toBe(repeatable);
  });

  it("that nobody answers in time has failed on the way, and may work later", async () => {
    const line = new Line([], {
      deadlineMs: 5,
      send: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        }),
    });
    await expect(line.client.data(request, never)).rejects.toMatchObject({
      kind: "tracker_request",
      passing: true,
      message: expect.stringContaining("not answered within 5 ms") as string,
    });
  });

  it("that is cut names the code that the network gave, and what it means", async () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const line = new Line([() => Promise.reject(new Error("failed", { cause }))]);
    await expect(line.client.data(request, never)).rejects.toMatchObject({
      kind: "tracker_request",
      what: expect.stringMatching(
        /^The request for a question failed on the way: nothing listens at \S+ \(ECONNREFUSED\)\.$/,
      ) as string,
      hint: expect.stringContaining("HTTPS_PROXY") as string,
    });
  });

  it("is not sent while the key's limit is used up", async () => {
    const gate = new RateGate(() => NOW);
    const limited = () => json({}, { status: 429, headers: { "retry-after": "60" } });
    const [first, second] = [new Line([limited()], { gate }), new Line([{ a: 1 }], { gate })];
    await expect(first.client.data(request, never)).rejects.toMatchObject({ kind: "tracker_rate_limited" });
    await expect(second.client.data(request, never)).rejects.toMatchObject({ retryAt: NOW + 60_000 });
    expect(second.asked).toEqual([]);
  });
});

describe("an answer", () => {
  it("tells the rates of its headers, whatever it says", async () => {
    const headers = { "x-ratelimit-requests-remaining": "7" };
    const line = new Line([json({}, { status: 500, headers })]);
    await expect(line.client.data(request, never)).rejects.toMatchObject({ kind: "tracker_status" });
    expect(line.rates).toEqual([{ "requests-remaining": 7 }]);
  });

  it("with errors is an answer for the agent, and none for the daemon", async () => {
    const body = { data: { a: null }, errors: [{ message: "No." }] };
    expect(await new Line([json(body)]).client.answer(request, never)).toMatchObject({
      graphql: true,
      ...body,
    });
    await expect(new Line([json(body)]).client.data(request, never)).rejects.toMatchObject({
      kind: "tracker_response",
    });
  });

  it("that is too large is not read", async () => {
    const line = new Line([{ a: "x".repeat(2_000) }], { bodyMaxBytes: 1_000 });
    await expect(line.client.data(request, never)).rejects.toMatchObject({
      kind: "tracker_response",
      message: expect.stringContaining("larger than 1000 bytes") as string,
    });
  });

  it("that repeats the key has it taken out", async () => {
    expect(await new Line([{ a: `key ${KEY}` }]).client.data(request, never)).toEqual({ a: "key [key]" });
  });
});
