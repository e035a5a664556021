import { describe, expect, it } from "vitest";
import {
  errorMessages,
  incompleteOf,
  isLimited,
  type LinearAnswer,
  limitError,
  notSent,
  refusalOf,
} from "../../../../src/tracker/linear/errors.ts";
import { NOW } from "./line.ts";

const answer = (change: Partial<LinearAnswer> = {}): LinearAnswer => ({
  status: 200,
  headers: {},
  graphql: true,
  data: {},
  errors: [],
  body: "",
  ...change,
});
const coded = (code: string, type = "x") => [{ message: "No.", extensions: { code, type } }];

describe("a used-up limit", () => {
  it.each([
    ["the status", answer({ status: 429 })],
    ["the code", answer({ status: 400, errors: coded("RATELIMITED") })],
    ["the type", answer({ errors: coded("X", "ratelimited") })],
  ])("is seen by %s", (_, given) => {
    expect(isLimited(given)).toBe(true);
  });

  it("is not every refusal", () => {
    expect(isLimited(answer({ status: 400, errors: coded("INPUT_ERROR") }))).toBe(false);
  });

  it("says when to ask again, whether it was asked or not", () => {
    for (const error of [limitError("a scan", answer({ status: 429 }), NOW), notSent("a scan", NOW)]) {
      expect(error).toMatchObject({ kind: "tracker_rate_limited", retryAt: NOW, passing: true });
      expect(error.message).toContain(new Date(NOW).toISOString());
    }
  });
});

describe("an answer that is a web page", () => {
  const body =
    '<!DOCTYPE html>\n<html><head><title>502 Bad\nGateway</title></head><body class="x">…</body></html>';

  it("is called that, by its title, and is not blamed on the end of the endpoint alone", () => {
    const error = refusalOf("the scan", answer({ graphql: false, body }), NOW);
    expect(error?.what).toBe(
      `Linear's answer to the scan is not a GraphQL response. It sent a web page with the title "502 Bad Gateway".`,
    );
    expect(error?.hint).toMatch(/proxy/);
  });

  it("also with another status, and without a title", () => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    const page = answer({ graphql: false, status: 503, headers, body: "<p>back soon</p>" });
    expect(refusalOf("the scan", page, NOW)?.what).toBe(
      "Linear answered the scan with HTTP 503. It sent a web page.",
    );
  });
});

describe("what a server said", () => {
  it.each([
    ["no", 'It said: "no".'],
    ["no.", 'It said: "no."'],
    ["why?", 'It said: "why?"'],
  ])("ends with one full stop: %s", (body, words) => {
    const error = refusalOf("the scan", answer({ graphql: false, status: 500, body }), NOW);
    expect(error?.what).toBe(`Linear answered the scan with HTTP 500. ${words}`);
  });
});

describe("a refusal", () => {
  it.each([
    [answer({ status: 401 })],
    [answer({ status: 403 })],
    [answer({ errors: coded("AUTHENTICATION_ERROR") })],
    [answer({ status: 500, errors: coded("X", "authentication error") })],
  ])("of the key does not pass by itself, and its hint is about the key (%#)", (given) => {
    const error = refusalOf("a scan", given, NOW);
    expect(error).toMatchObject({ kind: "tracker_status", status: given.status, passing: false });
    expect(error?.hint).toContain("tracker.api_key");
  });

  it("is none when the body is GraphQL, errors included: agents look into those themselves", () => {
    expect(refusalOf("a query", answer({ status: 400, errors: coded("INPUT_ERROR") }), NOW)).toBeNull();
  });

  it("of a 200 that is no GraphQL points at the endpoint", () => {
    const error = refusalOf("a scan", answer({ graphql: false, body: "<html>" }), NOW);
    expect(error).toMatchObject({
      kind: "tracker_response",
      hint: expect.stringContaining("tracker.endpoint") as string,
    });
  });

  it("of a server that is down passes, and waits for what the server asked, not for a budget", () => {
    const headers = { "retry-after": "30", "x-ratelimit-requests-reset": String(NOW + 999_000) };
    const down = answer({ status: 503, graphql: false, headers });
    expect(refusalOf("a scan", down, NOW)).toMatchObject({
      kind: "tracker_status",
      passing: true,
      retryAt: NOW + 30_000,
    });
    const silent = answer({
      status: 503,
      graphql: false,
      headers: { "x-ratelimit-requests-reset": String(NOW + 9) },
    });
    expect(refusalOf("a scan", silent, NOW)?.retryAt).toBeNull();
  });
});

describe("half an answer", () => {
  it("is none: data with errors is an error that does not pass by itself", () => {
    const half = answer({ data: { issues: {} }, errors: coded("X") });
    expect(incompleteOf("a scan", half, NOW)).toMatchObject({ kind: "tracker_response", passing: false });
    expect(incompleteOf("a scan", answer(), NOW)).toBeNull();
  });
});

describe("the tracker's own words", () => {
  it("are in the message, on one line and bounded", () => {
    const errors = [{ message: `Entity\n not found${"!".repeat(5_000)}` }];
    const { message } = incompleteOf("a scan", answer({ errors }), NOW) ?? { message: "" };
    expect(message).toContain('It said: "Entity not found!');
    expect(message.length).toBeLessThan(800);
  });

  it("for people are taken as well, and what has another form is left out", () => {
    const errors = [{ message: "a", extensions: { userPresentableMessage: "b" } }, 7, null, { message: 3 }];
    expect(errorMessages(errors)).toBe("a; b");
  });
});

describe("GraphQL errors in an answer of HTTP 200", () => {
  it.each([
    ["INTERNAL_SERVER_ERROR", "internal error"],
    ["X", "lock timeout"],
    ["GATEWAY_TIMEOUT", "x"],
    ["X", "network error"],
  ])("of the server's own (%s, %s) are passing", (code, type) => {
    expect(incompleteOf("a read", answer({ errors: coded(code, type) }), NOW)).toMatchObject({
      passing: true,
    });
  });

  it.each([
    ["INPUT_ERROR", "invalid input"],
    ["GRAPHQL_VALIDATION_FAILED", "graphql error"],
    ["X", "forbidden"],
  ])("about what was asked (%s, %s) are not", (code, type) => {
    expect(incompleteOf("a read", answer({ errors: coded(code, type) }), NOW)).toMatchObject({
      passing: false,
    });
  });

  it("are judged by the status that they carry, and are passing only together", () => {
    const carrying = (statusCode: number) => ({ message: "No.", extensions: { code: "X", statusCode } });
    const passing = (errors: readonly unknown[]) => incompleteOf("a read", answer({ errors }), NOW)?.passing;
    expect(passing([carrying(503)])).toBe(true);
    expect(passing([carrying(400)])).toBe(false);
    expect(passing([carrying(503), carrying(400)])).toBe(false);
    expect(passing([{ message: "No." }])).toBe(false);
  });
});
