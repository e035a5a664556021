import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueId } from "../../../../src/domain/issue.ts";
import { instant } from "../../../../src/domain/time.ts";
import { createLinearTracker } from "../../../../src/tracker/linear/linear.ts";
import type { Tracker } from "../../../../src/tracker/port.ts";
import { errorOf, usualScope } from "../../../contract/tracker-suite.ts";
import { PART_PAGE_SIZE } from "../../../../src/tracker/linear/documents.ts";

const key = "lin_api_VerySecretKey0123456789";
const now = instant(Date.parse("2026-11-21T00:00:00Z"));
const never = new AbortController().signal;

/** A server that gives each request the next of these answers, and the last one for ever. */
let answers: ((response: ServerResponse, body: string) => void)[] = [];
let tracker: Tracker;
let rejected: string[];
let asked: string[];

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => (body += part));
  request.on("end", () => {
    asked.push(body);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response, body);
  });
});

beforeEach(async () => {
  answers = [];
  rejected = [];
  asked = [];
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  tracker = trackerWithin(10_000);
});

/** A tracker on the server; the deadline is short only where it is to be met. */
function trackerWithin(deadlineMs: number, apiKey = key): Tracker {
  const { port } = server.address() as AddressInfo;
  const settings = {
    kind: "linear",
    endpoint: `http://127.0.0.1:${port}/graphql`,
    apiKey,
    terminalStates: [],
    ...usualScope,
  } as const;
  const news = { rates: () => {}, rejected: (errors: readonly string[]) => void rejected.push(...errors) };
  return createLinearTracker(settings, news, () => now, { deadlineMs, bodyMaxBytes: 100_000 });
}

/** What an agent is answered to this query, a refusal included. */
async function asAgent(query: string, variables = {}): Promise<string> {
  const [tool] = tracker.tools({ mark: "run", publish: () => {}, record: () => {} });
  if (tool === undefined) throw new Error("Linear's tracker has a tool");
  return (await tool.call({ query, variables }, "call", never)).text;
}

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const say =
  (status: number, body: string | object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    const type = typeof body === "string" ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

const page = (nodes: readonly unknown[], pageInfo: object = { hasNextPage: false, endCursor: null }) =>
  say(200, { data: { issues: { nodes, pageInfo } } });

const graphqlError = (code: string, type: string) => ({
  errors: [{ message: "No.", extensions: { code, type } }],
});

const record = (n: number) => ({
  id: `id-${n}`,
  identifier: `MT-${n}`,
  title: `Issue ${n}`,
  priority: 0,
  state: { name: "Todo" },
  project: { slugId: "demo" },
  labels: { nodes: [], pageInfo: { hasNextPage: false } },
  inverseRelations: { nodes: [], pageInfo: { hasNextPage: false } },
});

describe("an answer that is no answer", () => {
  const html = "<html><body><h1>Bad gateway</h1></body></html>";
  it.each([
    ["401", say(401, "no"), { kind: "tracker_status", status: 401, passing: false }],
    ["403", say(403, "no"), { kind: "tracker_status", status: 403, passing: false }],
    [
      "an authentication error in a 200",
      say(200, graphqlError("AUTHENTICATION_ERROR", "x")),
      { kind: "tracker_status" },
    ],
    [
      "an authentication error by type",
      say(400, graphqlError("X", "authentication error")),
      { kind: "tracker_status" },
    ],
    ["400 without a body", say(400, ""), { kind: "tracker_status", status: 400, passing: false }],
    [
      "400 with GraphQL errors",
      say(400, graphqlError("X", "y")),
      { kind: "tracker_response", passing: false },
    ],
    [
      "403 with GraphQL errors, which may be about one record",
      say(403, graphqlError("FORBIDDEN", "forbidden")),
      { kind: "tracker_response", passing: false },
    ],
    ["500", say(500, "oops"), { kind: "tracker_status", status: 500, passing: true }],
    ["502 in HTML", say(502, html), { kind: "tracker_status", status: 502, passing: true }],
    [
      "a redirect",
      say(302, "", { location: "http://127.0.0.1:1/" }),
      { kind: "tracker_status", status: 302 },
    ],
    ["200 in HTML", say(200, html), { kind: "tracker_response", status: 200 }],
    ["200 with nothing", say(200, ""), { kind: "tracker_response" }],
    ["200 with a list", say(200, [{ data: {} }]), { kind: "tracker_response" }],
    ["200 with an empty object", say(200, {}), { kind: "tracker_response" }],
    ["200 with no data", say(200, { data: null }), { kind: "tracker_response" }],
    ["200 with other data", say(200, { data: { issues: null } }), { kind: "tracker_response" }],
    ["GraphQL errors", say(200, graphqlError("X", "y")), { kind: "tracker_response", passing: false }],
    [
      "data with errors",
      say(200, { data: { issues: { nodes: [] } }, ...graphqlError("X", "y") }),
      { kind: "tracker_response" },
    ],
    [
      "a page that does not say whether it is the last",
      say(200, { data: { issues: { nodes: [] } } }),
      { kind: "tracker_response" },
    ],
  ])("%s", async (_, answer, expected) => {
    answers = [answer];
    const failed = await errorOf(tracker.candidates(never));
    expect(failed).toMatchObject(expected);
    expect(failed.message).toMatch(/the scan for candidates/);
  });

  it("a redirect is not followed, and the message says what to correct", async () => {
    answers = [say(301, "", { location: "http://127.0.0.1:1/" })];
    expect((await errorOf(tracker.candidates(never))).message).toContain("correct tracker.endpoint");
    expect(asked).toHaveLength(1);
  });

  it("half a JSON document", async () => {
    answers = [
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end('{"data":{"issues":{"nodes":[{"id":"id-1"');
      },
    ];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({
      kind: "tracker_response",
      passing: true,
    });
  });

  it("a body that is cut off on the way", async () => {
    answers = [
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"data":');
        setImmediate(() => response.destroy());
      },
    ];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({
      kind: "tracker_request",
      passing: true,
    });
  });

  it("a connection that is cut before the answer", async () => {
    answers = [(response) => response.destroy()];
    const failed = await errorOf(tracker.candidates(never));
    expect(failed).toMatchObject({ kind: "tracker_request", status: null, passing: true });
  });

  it.each([
    ["no answer", () => {}],
    ["headers and then nothing", (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ])("%s within the deadline", async (_, answer) => {
    answers = [answer];
    const failed = await errorOf(trackerWithin(100).candidates(never));
    expect(failed).toMatchObject({ kind: "tracker_request", passing: true });
    expect(failed.message).toContain("100 ms");
  });

  it("a body larger than the bound is not read to its end", async () => {
    let written = 0;
    answers = [
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = (): void => {
          while (written < 50_000_000 && response.writable) {
            written += 65_536;
            if (!response.write("x".repeat(65_536))) return void response.once("drain", more);
          }
          response.end();
        };
        more();
      },
    ];
    const failed = await errorOf(tracker.candidates(never));
    expect(failed).toMatchObject({ kind: "tracker_response" });
    expect(written).toBeLessThan(50_000_000);
  });

  it("an abort while waiting ends the call at once", async () => {
    const abort = new AbortController();
    answers = [() => abort.abort()];
    const failed = await errorOf(tracker.candidates(abort.signal));
    expect(failed.message).toContain("given up by us");
  });

  it("a server that is not there", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const failed = await errorOf(tracker.candidates(never));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    expect(failed).toMatchObject({ kind: "tracker_request", passing: true });
    expect(failed.message).toContain("ECONNREFUSED");
  });
});

it("a name of the key's user that is no text is not shown", async () => {
  answers = [say(200, { data: { viewer: { id: "u1", name: "\u001b[2J", email: "a@example.com" } } })];
  expect(await tracker.whoAmI(never)).toBe("a@example.com");
});

describe("a rate limit", () => {
  const in60s = now + 60_000;
  /** The first pause when the server does not say until when. */
  const in10s = now + 10_000;
  const headers = (remaining: [number, number], resets: [number, number]): Record<string, string> => ({
    "x-ratelimit-requests-remaining": String(remaining[0]),
    "x-ratelimit-requests-reset": String(resets[0]),
    "x-ratelimit-complexity-remaining": String(remaining[1]),
    "x-ratelimit-complexity-reset": String(resets[1]),
  });
  it.each([
    ["429 without headers", 429, {}, in10s],
    ["429 with retry-after in seconds", 429, { "retry-after": "60" }, in60s],
    ["429 with retry-after as a date", 429, { "retry-after": new Date(in60s).toUTCString() }, in60s],
    ["429 with a reset in milliseconds", 429, headers([0, 9], [in60s, in60s + 5]), in60s],
    ["429 with a reset in seconds", 429, headers([0, 9], [in60s / 1000, 1]), in60s],
    ["400 with RATELIMITED", 400, headers([9, 0], [in60s - 5, in60s]), in60s],
    ["the later reset when both budgets are used up", 400, headers([0, 0], [in60s - 5, in60s]), in60s],
    ["the earlier reset when neither seems used up", 400, headers([3, 3], [in60s, in60s + 5]), in60s],
    ["a reset in the past", 400, headers([0, 9], [now - 1, now - 1]), in10s],
    ["a reset in years", 400, headers([0, 9], [now * 2, now * 2]), in10s],
    ["a reset that is no number", 400, { "x-ratelimit-requests-reset": "soon" }, in10s],
  ])("%s", async (_, status, sent, retryAt) => {
    answers = [say(status, status === 429 ? "slow down" : graphqlError("RATELIMITED", "ratelimited"), sent)];
    const failed = await errorOf(tracker.candidates(never));
    expect(failed).toMatchObject({ kind: "tracker_rate_limited", status, retryAt, passing: true });
  });

  it("keeps everything from being sent until it ends, and says so", async () => {
    answers = [say(400, graphqlError("RATELIMITED", "ratelimited"), headers([0, 9], [in60s, in60s]))];
    await errorOf(tracker.candidates(never));
    for (const ask of [
      tracker.candidates(never),
      tracker.statuses([issueId("a")], never),
      tracker.whoAmI(never),
    ]) {
      const failed = await errorOf(ask);
      expect(failed).toMatchObject({
        kind: "tracker_rate_limited",
        status: null,
        retryAt: in60s,
        passing: true,
      });
      expect(failed.message).toContain("was not sent");
    }
    expect(asked).toHaveLength(1);
  });

  it("is also seen when only the error's type says so, and through the agent's tool", async () => {
    answers = [say(200, graphqlError("X", "ratelimited"))];
    expect(JSON.parse(await asAgent("{ viewer { id } }"))).toMatchObject({
      error: { kind: "tracker_rate_limited" },
    });
  });
});

describe("pages", () => {
  it("without the next cursor are an error, not half a list", async () => {
    answers = [page([record(1)], { hasNextPage: true, endCursor: null })];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({ kind: "tracker_pagination" });
    answers = [page([record(1)], { hasNextPage: true })];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({ kind: "tracker_pagination" });
  });

  it("whose cursors go in a circle are an error", async () => {
    const more = (endCursor: string) => page([record(1)], { hasNextPage: true, endCursor });
    answers = [more("a"), more("b"), more("a")];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({ kind: "tracker_pagination" });
    expect(asked).toHaveLength(3);
  });

  it("that never end are an error", async () => {
    let n = 0;
    answers = [(response) => page([record(n)], { hasNextPage: true, endCursor: `c${n++}` })(response)];
    const failed = await errorOf(tracker.candidates(never));
    expect(failed).toMatchObject({ kind: "tracker_pagination" });
    expect(asked).toHaveLength(200);
  });

  it("that show an issue twice give it once, as first seen", async () => {
    const again = { ...record(1), title: "Edited meanwhile" };
    answers = [page([record(1), record(2)], { hasNextPage: true, endCursor: "a" }), page([again, record(3)])];
    const found = await tracker.candidates(never);
    expect(found.map((issue) => issue.title)).toEqual(["Issue 1", "Issue 2", "Issue 3"]);
  });

  it("of an inner list are read to a bound", async () => {
    let n = 0;
    const more = { labels: { nodes: [], pageInfo: { hasNextPage: true, endCursor: "first" } } };
    answers = [
      page([{ ...record(1), ...more }]),
      (response) => {
        const labels = { nodes: [], pageInfo: { hasNextPage: true, endCursor: `c${n++}` } };
        say(200, { data: { issue: { labels } } })(response);
      },
    ];
    const failed = await errorOf(tracker.statuses([issueId("id-1")], never));
    expect(failed).toMatchObject({ kind: "tracker_pagination" });
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it("that do not say whether more follows are the last if they are not full", async () => {
    const labels = (count: number) => ({
      labels: { nodes: Array.from({ length: count }, (_, n) => ({ name: `l${n}` })) },
    });
    answers = [page([{ ...record(1), ...labels(PART_PAGE_SIZE - 1) }])];
    expect((await tracker.statuses([issueId("id-1")], never))[0]?.labels).toHaveLength(PART_PAGE_SIZE - 1);
    answers = [page([{ ...record(1), ...labels(PART_PAGE_SIZE) }])];
    const failed = await errorOf(tracker.statuses([issueId("id-1")], never));
    expect(failed).toMatchObject({ kind: "tracker_pagination" });
    expect(failed.message).toContain("MT-1");
  });

  it("of a refresh need not say it when every issue that was asked for is there", async () => {
    const [one, two] = [issueId("id-1"), issueId("id-2")];
    answers = [say(200, { data: { issues: { nodes: [record(2), record(1)] } } })];
    expect(await tracker.statuses([one, two], never)).toHaveLength(2);
    answers = [say(200, { data: { issues: { nodes: [record(2), record(3)] } } })];
    expect(await errorOf(tracker.statuses([one, two], never))).toMatchObject({
      kind: "tracker_pagination",
    });
  });

  it("with more entries than anybody can have asked for are an error", async () => {
    const many = { nodes: Array.from({ length: 20_000 }, () => 0), pageInfo: { hasNextPage: false } };
    const roomy = trackerWithin(10_000);
    answers = [say(200, { data: { issues: many } })];
    expect(await errorOf(roomy.candidates(never))).toMatchObject({ kind: "tracker_response" });
    answers = [page([{ ...record(1), labels: many }])];
    expect(await errorOf(roomy.statuses([issueId("id-1")], never))).toMatchObject({
      kind: "tracker_response",
    });
  });

  it("one of which fails give nothing", async () => {
    answers = [page([record(1)], { hasNextPage: true, endCursor: "a" }), say(502, "later")];
    expect(await errorOf(tracker.candidates(never))).toMatchObject({ kind: "tracker_status" });
  });
});

describe("records that cannot be read", () => {
  it("are left out of a scan and told", async () => {
    answers = [page([record(1), { ...record(2), state: null }, "nonsense", record(3)])];
    expect((await tracker.candidates(never)).map((issue) => issue.identifier)).toEqual(["MT-1", "MT-3"]);
    expect(rejected).toHaveLength(2);
    expect(rejected[0]).toMatch(/MT-2: state: /);
  });

  it("are told ten at most, and then counted", async () => {
    answers = [page(Array.from({ length: 30 }, () => ({})))];
    expect(await tracker.candidates(never)).toEqual([]);
    expect(rejected).toHaveLength(11);
    expect(rejected[10]).toContain("20 more issues");
  });

  it("fail a refresh by id as a whole, naming the record", async () => {
    const ids = [issueId("id-1"), issueId("id-2")];
    answers = [page([record(1), { ...record(2), labels: { nodes: null } }])];
    for (const call of ["statuses", "issues"] as const) {
      const failed = await errorOf(tracker[call](ids, never));
      expect(failed).toMatchObject({ kind: "tracker_response" });
      expect(failed.message).toMatch(/MT-2.*labels\.nodes/);
    }
  });

  it("fail a refresh when there are two of one issue that disagree", async () => {
    answers = [page([record(1), record(1)])];
    expect(await tracker.statuses([issueId("id-1")], never)).toHaveLength(1);
    answers = [page([record(1), { ...record(1), state: { name: "Done" } }])];
    const failed = await errorOf(tracker.statuses([issueId("id-1")], never));
    expect(failed).toMatchObject({ kind: "tracker_response" });
    expect(failed.message).toContain("MT-1 twice");
  });

  it.each(["identifier", "id", "title"] as const)(
    "with a huge %s are refused without delay",
    async (field) => {
      // Each pattern is met with what it would have to go back over.
      const value = `${"a".repeat(20_000)}\u0000${" ".repeat(20_000)}\u0000`;
      answers = [page([{ ...record(1), [field]: value, state: { name: value } }])];
      const began = process.cpuUsage();
      expect(await tracker.candidates(never)).toEqual([]);
      expect(process.cpuUsage(began).user).toBeLessThan(300_000);
    },
  );

  it("that nobody asked for are ignored", async () => {
    answers = [page([record(1), record(9)])];
    const found = await tracker.statuses([issueId("id-1")], never);
    expect(found.map((issue) => issue.id)).toEqual(["id-1"]);
  });
});

describe("secrets", () => {
  it("the key is in no message, and not in what the agent gets, even when the server repeats it", async () => {
    const echo = { errors: [{ message: `bad header authorization: ${key}` }] };
    for (const answer of [
      say(401, key),
      say(500, `<p>${key}</p>`),
      say(400, echo),
      say(200, echo),
      say(200, key),
    ]) {
      answers = [answer];
      const failed = await errorOf(tracker.candidates(never));
      expect(`${failed.message} ${failed.stack} ${String(failed.cause)}`).not.toContain(key);
    }
    answers = [say(200, echo)];
    expect(await asAgent("{ viewer { id } }")).not.toContain(key);
  });

  it("a key of a letter is not cut out of every word", async () => {
    answers = [page([record(1)])];
    const [issue] = await trackerWithin(10_000, "T").candidates(never);
    expect(issue?.identifier).toBe("MT-1");
  });

  it("variables are in no message", async () => {
    const variables = { body: "words of a private ticket" };
    for (const answer of [say(401, "no"), say(500, "no"), (response: ServerResponse) => response.destroy()]) {
      answers = [answer];
      expect(await asAgent("query($body: String) { x }", variables)).not.toContain("private");
    }
    expect(asked[0]).toContain("private");
  });
});
