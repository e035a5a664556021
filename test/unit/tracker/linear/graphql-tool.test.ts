import { describe, expect, it } from "vitest";
import type { FactBody } from "../../../../src/domain/fact.ts";
import { instant } from "../../../../src/domain/time.ts";
import {
  type GraphqlAnswer,
  linearGraphqlExamples,
  linearGraphqlTool,
  type SendGraphql,
} from "../../../../src/tracker/linear/graphql-tool.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";

type ToolCalled = Extract<FactBody, { readonly type: "tool_called" }>;
type ToolStarted = Extract<FactBody, { readonly type: "tool_started" }>;

const never = new AbortController().signal;
const uuid = "0b0a4a6e-7c55-4b43-9b8e-0d5a3d7f5c01";

type Answering = (document: string, variables: Readonly<Record<string, unknown>>) => GraphqlAnswer;

/** The way to Linear, which answers as it is told. */
class Line {
  #answer: Answering;
  #error: TrackerError | null = null;
  #hangs = false;

  constructor(answer: Answering) {
    this.#answer = answer;
  }

  answerWith(answer: Answering): void {
    this.#answer = answer;
  }

  failNext(error: TrackerError): void {
    this.#error = error;
  }

  hangNext(): void {
    this.#hangs = true;
  }

  readonly send: SendGraphql = async (document, variables, signal) => {
    const error = this.#error;
    this.#error = null;
    if (error !== null) throw error;
    if (this.#hangs)
      await new Promise((_, reject) => {
        const givenUp = new TrackerError("tracker_request", "The request was given up by us.");
        if (signal.aborted) reject(givenUp);
        signal.addEventListener("abort", () => reject(givenUp), { once: true });
      });
    return this.#answer(document, variables);
  };
}

/** The tool over a line that answers with this and remembers what it was asked. */
function toolOver(answer: GraphqlAnswer = { data: { ok: true } }, deadlineMs = 5_000) {
  const sent: { document: string; variables: Readonly<Record<string, unknown>> }[] = [];
  const calls: ToolCalled[] = [];
  const line = new Line((document, variables) => {
    sent.push({ document, variables });
    return answer;
  });
  const started: ToolStarted[] = [];
  const run = {
    mark: "run",
    record: (fact: FactBody) => void (fact.type === "tool_started" && started.push(fact)),
    publish: (fact: FactBody) => void (fact.type === "tool_called" && calls.push(fact)),
  };
  const tool = linearGraphqlTool(line.send, run, { deadlineMs });
  return { tool, line, sent, calls, started, run, ask: (args: unknown) => tool.call(args, "call-1", never) };
}

const errorIn = (text: string): { kind: string; message: string } =>
  (JSON.parse(text) as { error: { kind: string; message: string } }).error;

describe("a call", () => {
  it("is sent with its variables and answered with the whole body", async () => {
    const { ask, sent } = toolOver({ data: { issue: { title: "T" } } });
    const args = { query: "query($id: String!) { issue(id: $id) { title } }", variables: { id: "MT-1" } };
    expect(await ask(args)).toEqual({ ok: true, text: '{"data":{"issue":{"title":"T"}}}' });
    expect(sent).toEqual([{ document: args.query, variables: args.variables }]);
  });

  it.each([
    ["a bare string", "{ viewer { id } }"],
    ["variables that are null", { query: "{ viewer { id } }", variables: null }],
    ["no variables", { query: "{ viewer { id } }" }],
    ["fragments beside the operation", { query: "query Q { ...F } fragment F on Query { viewer { id } }" }],
    ["introspection", { query: "{ __schema { types { name } } }" }],
  ])("may be %s", async (_, args) => {
    const { ask, sent } = toolOver();
    expect((await ask(args)).ok).toBe(true);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.variables).toEqual({});
  });

  it.each([
    ["nothing", undefined, "arguments"],
    ["a number", 7, "arguments"],
    ["no query", { variables: {} }, "arguments"],
    ["an empty query", { query: " \n" }, "empty"],
    ["variables as text", { query: "{ a }", variables: '{"id": 1}' }, "variables is an object"],
    ["variables as a list", { query: "{ a }", variables: [] }, "variables is an object"],
    ["what is not GraphQL", { query: "select * from issues" }, "cannot be parsed"],
    ["two operations", { query: "query A { a } mutation B { b }" }, "2 operations (A, B)"],
    ["the same twice without names", { query: "{ a } { b }" }, "2 operations"],
    ["only a fragment", { query: "fragment F on Issue { id }" }, "no operation"],
    ["a subscription", { query: "subscription { a }" }, "subscription"],
    ["a document without end", { query: `{ a ${"b ".repeat(20_000)} }` }, "cannot be parsed"],
    ["a document too deep", { query: "{a".repeat(3_300) + "}".repeat(3_300) }, "nested too deeply"],
    ["a very long document", { query: `{ a } #${"x".repeat(300_000)}` }, "longer than"],
  ])("that has %s is refused unsent, and says why", async (_, args, words) => {
    const { ask, sent, calls } = toolOver();
    const answer = await ask(args);
    expect(answer.ok).toBe(false);
    expect(errorIn(answer.text).message).toContain(words);
    expect(sent).toEqual([]);
    expect(calls).toEqual([expect.objectContaining({ ok: false, operation: null, complexity: null })]);
  });

  it("says where the query is wrong", async () => {
    const { ask } = toolOver();
    expect(errorIn((await ask({ query: "{\n  issue(id: }" })).text).message).toContain("line 2, column 13");
  });

  it("with GraphQL errors is a failure that keeps the body", async () => {
    const body = { data: { issue: null }, errors: [{ message: "Entity not found: Issue", path: ["issue"] }] };
    const { ask, calls } = toolOver(body);
    const answer = await ask({ query: "{ issue(id: 1) { id } }" });
    expect(answer.ok).toBe(false);
    expect(JSON.parse(answer.text)).toEqual(body);
    expect(calls[0]).toMatchObject({
      ok: false,
      error: expect.stringContaining("Entity not found") as string,
    });
  });

  it("that the tracker cannot send is a failure with the reason", async () => {
    const { ask, line, calls } = toolOver();
    line.failNext(new TrackerError("tracker_rate_limited", "used up until noon", { retryAt: instant(0) }));
    const answer = await ask("{ a }");
    expect(errorIn(answer.text)).toEqual({ kind: "tracker_rate_limited", message: "used up until noon" });
    expect(calls[0]).toMatchObject({ ok: false, error: "used up until noon", operation: "query" });
  });

  it("never rejects, whatever goes wrong behind it", async () => {
    const { ask, line } = toolOver();
    line.answerWith(() => {
      throw new Error("a bug");
    });
    expect(errorIn((await ask("{ a }")).text)).toEqual({ kind: "internal", message: "a bug" });
  });

  it("ends at its deadline", async () => {
    const { ask, line } = toolOver({}, 20);
    line.hangNext();
    expect((await ask("{ a }")).ok).toBe(false);
  });

  it("ends when the turn is over", async () => {
    const { tool, line, calls } = toolOver();
    line.hangNext();
    const turn = new AbortController();
    const answer = tool.call("{ a }", "call-1", turn.signal);
    turn.abort();
    expect((await answer).ok).toBe(false);
    expect(calls).toHaveLength(1);
  });

  it("whose answer is too long is cut, and says how to ask for less", async () => {
    const { ask } = toolOver({ data: { text: "😀".repeat(50_000) } });
    const { ok, text } = await ask("{ a }");
    expect(ok).toBe(true);
    expect(text.length).toBeLessThan(40_500);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/\[Cut: the first 40000 of 1000\d\d characters.*smaller first/);
  });
});

describe("every call is told", () => {
  it("with its operation, root fields, ids and complexity", async () => {
    const { ask, calls } = toolOver();
    await ask({
      query: `mutation Move($id: String!, $input: IssueUpdateInput!) {
        issueUpdate(id: $id, input: $input) { success issue { id } }
        ...More
      }
      fragment More on Mutation { commentCreate(input: { issueId: "mt-7", body: "no id" }) { success } }`,
      variables: { id: "MT-12", input: { stateId: uuid, title: "A-B", labels: [{ id: "ENG-3" }] } },
    });
    expect(calls).toEqual([
      {
        type: "tool_called",
        tool: "linear_graphql",
        callId: "call-1",
        operation: "Move",
        fields: ["issueUpdate", "commentCreate"],
        ids: [expect.stringMatching(/^[0-9a-f-]{36}$/) as string, "MT-12", uuid, "ENG-3", "mt-7"],
        complexity: 4,
        ok: true,
        error: null,
        tookMs: expect.any(Number) as number,
      },
    ]);
  });

  it("in bounds, however much the model sends", async () => {
    const { ask, calls } = toolOver();
    const ids = Array.from({ length: 5_000 }, (_, n) => `MT-${n}`);
    let deep: unknown = "MT-99999";
    for (let n = 0; n < 5_000; n++) deep = [deep];
    const fields = Array.from({ length: 500 }, (_, n) => `f${n}`).join(" ");
    expect((await ask({ query: `{ ${fields} }`, variables: { deep, ids } })).ok).toBe(true);
    expect(calls[0]?.fields).toHaveLength(20);
    expect(calls[0]?.ids).toEqual(ids.slice(0, 20));
  });

  it("without the texts that were sent", async () => {
    const { ask, calls } = toolOver();
    await ask({
      query: linearGraphqlExamples.comment,
      variables: { issueId: uuid, body: "a private comment" },
    });
    expect(JSON.stringify(calls)).not.toContain("private");
    expect(calls[0]).toMatchObject({ operation: "mutation", fields: ["commentCreate"] });
    expect(calls[0]?.ids).toContain(uuid);
  });
});

describe("the description", () => {
  it("shows how to read, comment and move", () => {
    const { tool } = toolOver();
    for (const example of Object.values(linearGraphqlExamples)) expect(tool.description).toContain(example);
    expect(tool.inputSchema).toMatchObject({ type: "object", required: ["query"] });
  });
});

describe("a call that changes something", () => {
  const comment = { query: linearGraphqlExamples.comment, variables: { issueId: uuid, body: "Done." } };

  it("is written down before it is sent, with the id of what it creates", async () => {
    const { ask, line, started, calls } = toolOver();
    line.answerWith((document) => {
      expect(started).toHaveLength(1);
      expect(calls).toEqual([]);
      expect(document).toContain(started[0]?.newIds[0]);
      return { data: {} };
    });
    expect((await ask(comment)).ok).toBe(true);
    expect(started).toEqual([
      {
        type: "tool_started",
        tool: "linear_graphql",
        callId: "call-1",
        operation: "mutation",
        fields: ["commentCreate"],
        ids: [uuid],
        newIds: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
      },
    ]);
    expect(JSON.stringify(started)).not.toContain("Done");
    expect(calls).toHaveLength(1);
  });

  it("is not sent when it cannot be written down", async () => {
    const { line, sent, run, calls } = toolOver();
    const full = (): void => {
      throw new Error("the disk is full");
    };
    const answer = await linearGraphqlTool(line.send, { ...run, record: full }).call(comment, "c", never);
    expect(errorIn(answer.text).message).toContain("the disk is full");
    expect(sent).toEqual([]);
    expect(calls[0]).toMatchObject({ ok: false });
  });

  it("that is not answered may have been done: it says so, and how to find out", async () => {
    const { ask, line, started, calls } = toolOver();
    for (const error of [
      new TrackerError("tracker_request", "The request for a query of the agent was cut."),
      new TrackerError("tracker_status", "Linear answered with HTTP 502.", { status: 502 }),
      new TrackerError("tracker_response", "Linear's answer is not a GraphQL response."),
    ]) {
      line.failNext(error);
      const { message } = errorIn((await ask(comment)).text);
      expect(message).toContain("not known whether Linear did it");
      expect(message).toContain(started.at(-1)?.newIds[0]);
      expect(calls.at(-1)).toMatchObject({ ok: false, unknown: true });
    }
  });

  it("that was refused was not done", async () => {
    const { ask, line, calls } = toolOver();
    for (const error of [
      new TrackerError("tracker_rate_limited", "used up."),
      new TrackerError("tracker_status", "refused.", { status: 401 }),
      new TrackerError("tracker_status", "Linear answered with HTTP 400.", { status: 400 }),
    ]) {
      line.failNext(error);
      expect(errorIn((await ask(comment)).text).message).not.toContain("not known");
      expect(calls.at(-1)).not.toHaveProperty("unknown");
    }
  });

  it("that only reads is not written down before, and is sent as it was written", async () => {
    const { ask, sent, started } = toolOver();
    const query = "query  Q { commentCreate }";
    await ask({ query });
    expect(started).toEqual([]);
    expect(sent[0]?.document).toBe(query);
  });
});
