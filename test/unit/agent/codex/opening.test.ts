import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openThread, type Opened } from "../../../../src/agent/codex/opening.ts";
import type { Answer } from "../../../../src/agent/codex/rpc.ts";
import { fieldsOf, type Fields } from "../../../../src/agent/codex/message.ts";
import type { Failure } from "../../../../src/domain/failure.ts";
import { threadId } from "../../../../src/domain/run.ts";
import { specWith } from "../heard.ts";

const refused = (message: string): Answer => ({
  ok: false,
  cause: "refused",
  code: -32600,
  message,
  data: null,
});
const late: Answer = { ok: false, cause: "timeout", code: null, message: "was not answered", data: null };
const thread = (id: string): Answer => ({ ok: true, result: { thread: { id } } });

/** What happens when Codex answers like this. */
function open(answers: { readonly [method: string]: Answer }, resume: string | null = null) {
  const said: string[] = [];
  const params: { [method: string]: Fields } = {};
  const outcomes: (Opened | Failure)[] = [];
  openThread({
    ask: (method, given, done) => {
      said.push(method);
      params[method] = given;
      done(answers[method] ?? { ok: true, result: {} });
    },
    notify: (method) => said.push(method),
    spec: specWith({ resume: resume === null ? null : threadId(resume) }),
    env: {},
    version: "1.2.3",
    opened: (opened) => outcomes.push(opened),
    failed: (why) => outcomes.push(why),
  });
  vi.runAllTimers();
  expect(outcomes).toHaveLength(1);
  return { said, params, outcome: outcomes[0] };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a thread is opened", () => {
  test("by saying who asks, reading the configuration, and starting it", () => {
    const { said, params, outcome } = open({ "thread/start": thread("new") });
    expect(said).toEqual(["initialize", "initialized", "config/read", "thread/start"]);
    expect(params["initialize"]).toEqual({
      clientInfo: { name: "baton", title: "Baton", version: "1.2.3" },
      capabilities: { experimentalApi: true },
    });
    expect(outcome).toEqual({ threadId: "new", resumed: false, why: null, config: {} });
  });

  test("with what the user's configuration says", () => {
    const config = { shell_environment_policy: { exclude: ["MINE"] } };
    const { params, outcome } = open({
      "config/read": { ok: true, result: { config } },
      "thread/start": thread("new"),
    });
    const policy = fieldsOf(fieldsOf(params["thread/start"]?.["config"])["shell_environment_policy"]);
    expect(policy["exclude"]).toContain("MINE");
    expect(outcome).toMatchObject({ config });
  });

  test("without a configuration from a version that does not tell", () => {
    const { outcome } = open({ "config/read": refused("unknown variant"), "thread/start": thread("new") });
    expect(outcome).toMatchObject({ threadId: "new", config: {} });
  });

  test("by resuming the one there is", () => {
    const { said, outcome } = open({ "thread/resume": thread("old") }, "old");
    expect(said).not.toContain("thread/start");
    expect(outcome).toMatchObject({ threadId: "old", resumed: true, why: null });
  });

  test.each(["no rollout found", "session is archived", "already has an active writer", "thread not found"])(
    "anew when the one there was is refused: %s",
    (message) => {
      const { outcome } = open({ "thread/resume": refused(message), "thread/start": thread("new") }, "old");
      expect(outcome).toMatchObject({ threadId: "new", resumed: false });
      expect((outcome as Opened).why).toContain(message);
    },
  );
});

describe("a thread that another process writes", () => {
  const busy = refused("thread already has an active writer");

  test("is asked for again, because its killed writer may hold it for a moment", () => {
    const replies = [busy, busy, thread("old")];
    const { said, outcome } = open(
      {
        get "thread/resume"() {
          return replies.shift() ?? thread("old");
        },
      },
      "old",
    );
    expect(said.filter((method) => method === "thread/resume")).toHaveLength(3);
    expect(outcome).toMatchObject({ threadId: "old", resumed: true });
  });

  test("is given up after a bounded time", () => {
    const { said, outcome } = open({ "thread/resume": busy, "thread/start": thread("new") }, "old");
    expect(said.filter((method) => method === "thread/resume")).toHaveLength(21);
    expect(outcome).toMatchObject({ threadId: "new", resumed: false });
  });
});

describe("a thread is not opened", () => {
  test.each([
    ["initialize", "response_timeout"],
    ["config/read", "response_timeout"],
    ["thread/resume", "resume_failed"],
  ])("when %s is not answered in time", (method, kind) => {
    const { said, outcome } = open({ [method]: late, "thread/start": thread("new") }, "old");
    expect(said.at(-1)).toBe(method);
    expect(outcome).toMatchObject({ kind });
  });

  test("when Codex refuses to start it", () => {
    expect(open({ "thread/start": refused("bad model provider") }).outcome).toMatchObject({
      kind: "response_error",
      message: expect.stringContaining("bad model provider"),
    });
  });

  test.each([undefined, "", 7, "x".repeat(1000)])("when Codex does not say which it is: %j", (id) => {
    expect(open({ "thread/start": { ok: true, result: { thread: { id } } } }).outcome).toMatchObject({
      kind: "protocol_violation",
    });
  });
});
