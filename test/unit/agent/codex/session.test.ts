import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentTool } from "../../../../src/agent/port.ts";
import { failure } from "../../../../src/domain/failure.ts";
import { threadId } from "../../../../src/domain/run.ts";
import { createCodexAgent } from "../../../../src/agent/codex/codex.ts";
import { instant } from "../../../../src/domain/time.ts";
import { light, lightCommand, liveChildren } from "../light.ts";
import { Heard } from "../heard.ts";
import { startTicks } from "../../../processes.ts";

let ground: string;
beforeEach(() => {
  ground = mkdtempSync(join(tmpdir(), "session-"));
});
afterEach(() => {
  expect(liveChildren()).toEqual([]);
  rmSync(ground, { recursive: true, force: true });
});

/** A session that is open. */
async function opened(...args: Parameters<typeof light>): Promise<Heard> {
  const heard = light(...args);
  await heard.next("opened");
  return heard;
}

async function ended(heard: Heard): Promise<void> {
  heard.session.stop(null);
  await heard.over();
}

describe("a session that cannot begin", () => {
  test("for want of a workspace says so, without a process", async () => {
    const heard = light([], { workspace: join(ground, "missing") });
    expect(heard.news).toEqual([]);
    expect((await heard.over()).failure?.kind).toBe("invalid_workspace_cwd");
    expect(heard.types()).toEqual(["exited"]);
  });

  test("for want of codex says what to install, and where bash looks", async () => {
    const heard = light([], { command: "no-such-codex app-server" });
    const { failure: why } = await heard.over();
    expect(why?.kind).toBe("codex_not_found");
    expect(why?.message).toContain("no-such-codex app-server");
    expect(why?.hint).toContain("npm install");
  });

  test("because the process is silent ends when its time is up", async () => {
    const heard = light(["silent"], { codex: { readTimeoutMs: 300 } });
    expect((await heard.over()).failure?.kind).toBe("response_timeout");
  });

  test("because the login shell hangs says so, and not that codex was slow", async () => {
    const hangs = { loginShellMs: () => Promise.resolve(null) };
    const { failure: why } = await light(["silent"], { codex: { readTimeoutMs: 300 } }, hangs).over();
    expect(why?.kind).toBe("shell_timeout");
    expect(why?.hint).toContain("/etc/profile");
  });

  test("because the process does not read ends too", async () => {
    const heard = light(
      ["deaf", "stubborn"],
      { codex: { readTimeoutMs: 300 } },
      { patience: { leaveMs: 50, termMs: 50 } },
    );
    expect((await heard.over()).failure?.kind).toBe("response_timeout");
  });

  test("because the process closes its output and lives on says just that", async () => {
    const heard = light([], { command: "exec 1>&-; read x; read x" }, { patience: { muteMs: 50 } });
    const { failure: why } = await heard.over();
    expect(why?.kind).toBe("port_exit");
    expect(why?.message).toContain("closed its output");
  });

  test.each([["mute-resume"], ["die-resume"]])(
    "because its thread could not be resumed (%s) says that it was the thread, not Codex",
    async (option) => {
      const heard = light([option], { resume: threadId("t-old"), codex: { readTimeoutMs: 2_000 } });
      expect((await heard.over()).failure?.kind).toBe("resume_failed");
    },
  );

  test("shows the last words of its process", async () => {
    const heard = light(["noise", "exit=3"]);
    const { failure: why } = await heard.over();
    expect(why?.kind).toBe("port_exit");
    expect(why?.message).toContain("code 3");
    expect(why?.detail?.endsWith("the last words: äöü")).toBe(true);
  });
});

describe("noise", () => {
  test("before and between messages is kept as facts, and the session goes on", async () => {
    const heard = await opened(["chatter=3", "noise"]);
    const raw = [
      "raw:not json",
      'raw:{"id":99,"result":{}}',
      'raw:{"method":"brand/new"}',
      'raw:{"method":"brand/new"}',
    ];
    expect((await heard.turn(raw.join("\n"))).status).toBe("completed");
    await ended(heard);
    expect(heard.facts("malformed").map(({ line }) => line)).toEqual([
      "hello, I am no message 3",
      "hello, I am no message 2",
      "hello, I am no message 1",
      "not json",
    ]);
    expect(heard.facts("unknown_message").map(({ method }) => method)).toEqual([
      "answer to request 99",
      "brand/new",
    ]);
  });

  test("without end ends the session", async () => {
    const heard = light(["chatter=200"]);
    expect((await heard.over()).failure?.kind).toBe("protocol_violation");
    expect(heard.facts("malformed")).toHaveLength(100);
  });

  test("of streamed text is a sign of life and nothing else", async () => {
    let now = 0;
    const heard = await opened([], {}, { clock: () => ++now as never });
    const before = heard.session.pulse().signAt;
    await heard.turn("deltas:5000");
    expect(heard.session.pulse().signAt).toBeGreaterThan(before + 5000);
    expect(heard.facts("unknown_message")).toEqual([]);
    await ended(heard);
  });

  test("in one line of some megabytes is a message like any other", async () => {
    const heard = await opened();
    await heard.turn(`say:${"x".repeat(900_000)}\nsay:last`);
    expect(heard.of("turn_ended")[0]?.message).toBe("last");
    await ended(heard);
  });
});

describe("a turn", () => {
  test("that fails says why by kind, and when a used-up limit is reset", async () => {
    const heard = await opened();
    const resetsAt = Math.floor(Date.now() / 1000) + 3600;
    const limits = JSON.stringify({ primary: { usedPercent: 100, resetsAt } });
    const end = await heard.turn(`limits:${limits}\nfail:"usageLimitExceeded"`);
    expect(end.failure).toMatchObject({ kind: "usage_limit", resetsAt: resetsAt * 1000 });
    await ended(heard);
  });

  test("whose prompt is too large never began, and the session goes on", async () => {
    const heard = await opened();
    const end = await heard.turn("too-large");
    expect(end).toMatchObject({ turnId: null, status: "failed", failure: { kind: "input_too_large" } });
    expect((await heard.turn("next")).status).toBe("completed");
    await ended(heard);
  });

  test("that takes too long is interrupted, and that is its failure", async () => {
    const heard = await opened([], { codex: { turnTimeoutMs: 100 } });
    const end = await heard.turn("hold");
    expect([end.status, end.failure?.kind]).toEqual(["interrupted", "turn_timeout"]);
    await ended(heard);
  });

  test("that cannot be interrupted is given up, and the process with it", async () => {
    const patience = { interruptMs: 200, leaveMs: 1000 };
    const heard = await opened([], { codex: { turnTimeoutMs: 100 } }, { patience });
    const end = await heard.turn("never-started");
    expect([end.status, end.failure?.kind]).toEqual(["interrupted", "turn_timeout"]);
    expect((await heard.over()).failure?.kind).toBe("turn_timeout");
  });

  test("that is not even answered ends the session: it may begin at any time", async () => {
    const heard = await opened([], { codex: { readTimeoutMs: 2000 } });
    const end = await heard.turn("unanswered");
    expect([end.status, end.failure?.kind]).toEqual(["failed", "response_timeout"]);
    expect((await heard.over()).failure?.kind).toBe("response_timeout");
  });

  test("while another runs is not begun", async () => {
    const heard = await opened();
    heard.session.turn("hold");
    heard.session.turn("another");
    await heard.next("turn_started");
    await ended(heard);
    expect(heard.of("turn_started")).toHaveLength(1);
    expect(heard.facts("warning")).toHaveLength(1);
  });

  test("can be asked for from within the news that the last one ended", async () => {
    const heard = light();
    let turns = 0;
    const unheard = heard.until(() => {
      if (heard.of("turn_ended").length === turns && turns < 3 && heard.of("opened").length > 0) {
        turns++;
        heard.session.turn(`turn ${turns}`);
      }
      return heard.of("turn_ended").length === 3 ? true : undefined;
    }, "three turns");
    await unheard;
    await ended(heard);
    expect(heard.of("turn_ended").map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  test("leaves no item open behind it", async () => {
    const heard = await opened();
    heard.session.turn("open:a\nopen:b\nsay:there\nhold");
    await heard.until(() => heard.facts("agent_said")[0], "the message");
    expect(heard.session.pulse().openCommands).toBe(2);
    heard.session.stop(null);
    await heard.next("turn_ended");
    expect(heard.session.pulse().openCommands).toBe(0);
    await heard.over();
  });

  test("that Codex begins by itself is interrupted, and ours waits for its end", async () => {
    const heard = await opened();
    await heard.turn("stray");
    const end = await heard.turn("ours");
    expect(end).toMatchObject({ turnId: "turn-2", status: "completed" });
    expect(heard.of("turn_started").map((news) => news.turnId)).toEqual(["turn-1", "turn-2"]);
    expect(heard.facts("warning")).toHaveLength(1);
    await ended(heard);
  });

  test("of another thread, of an agent of the agent's, is not ours", async () => {
    const heard = await opened();
    const other = { threadId: "another", turn: { id: "turn-1", status: "failed" } };
    const raw = (method: string): string => `raw:${JSON.stringify({ method, params: other })}`;
    const end = await heard.turn([raw("turn/started"), raw("turn/completed"), "say:ours"].join("\n"));
    expect(end).toMatchObject({ turnId: "turn-1", status: "completed", message: "ours" });
    await ended(heard);
    expect(heard.facts("warning")).toEqual([]);
  });

  test("in which Codex tries again goes on; trying again is telemetry and no sign of life", async () => {
    let now = 0;
    const heard = await opened([], {}, { clock: () => ++now as never });
    const retry = { error: { message: "Reconnecting... 1/5", additionalDetails: "reset" }, willRetry: true };
    heard.session.turn(`say:before\nraw:${JSON.stringify({ method: "error", params: retry })}\nhold`);
    const signAt = await heard.until(() => {
      return heard.facts("agent_said").length > 0 ? heard.session.pulse().signAt : undefined;
    }, "the message");
    await heard.until(() => heard.facts("agent_retrying")[0], "the retry");
    expect(heard.facts("agent_retrying")).toEqual([
      { type: "agent_retrying", message: "Reconnecting... 1/5", detail: "reset" },
    ]);
    expect(heard.session.pulse().signAt).toBe(signAt);
    await ended(heard);
    expect(heard.of("turn_ended")[0]?.status).toBe("interrupted");
  });
});

describe("an older Codex", () => {
  test("without config/read works all the same", async () => {
    const heard = await opened(["old"]);
    expect((await heard.turn("x")).status).toBe("completed");
    await ended(heard);
  });

  test("may end a turn by turn/failed", async () => {
    const heard = await opened();
    const params = { turnId: "turn-1", error: { message: "old style" } };
    const end = await heard.turn(`raw:${JSON.stringify({ method: "turn/failed", params })}\nhold`);
    expect(end.status).toBe("failed");
    expect(end.failure?.message).toContain("old style");
    await ended(heard);
  });
});

describe("a question of Codex", () => {
  const approval = 'ask:item/commandExecution/requestApproval {"command":"rm x"}';

  test("is answered by policy, under its own id, and kept as a fact", async () => {
    const heard = await opened();
    const end = await heard.turn([approval, "ask:currentTime/read {}", "ask:brand/new {}"].join("\n"));
    expect(end.status).toBe("completed");
    await ended(heard);
    const said = heard.facts("agent_said").map(({ text }) => text);
    expect(said[0]).toBe('{"decision":"decline"}');
    expect(said[1]).toMatch(/^\{"currentTimeAt":\d+\}$/);
    expect(said[2]).toContain("-32601");
    expect(heard.facts("request_answered").map(({ answer }) => answer)).toEqual([
      "decline",
      "the time",
      "refused",
    ]);
  });

  test("ends the run where the workflow parks on it", async () => {
    const approvals = { mode: "operator", timeoutMs: 1, onTimeout: "park" } as const;
    const heard = await opened([], { policy: { approvals, questions: { mode: "decline" } } });
    heard.session.turn(`${approval}\nhold`);
    expect(await heard.next("turn_ended")).toMatchObject({
      status: "interrupted",
      failure: { kind: "approval_required" },
    });
    expect((await heard.over()).failure?.kind).toBe("approval_required");
    expect(heard.facts("request_answered")).toHaveLength(1);
  });
});

describe("a tool", () => {
  const call = (tool: string): string =>
    `ask:item/tool/call ${JSON.stringify({ tool, callId: "c", arguments: { a: 1 } })}`;
  const tool = (answer: AgentTool["call"]): AgentTool => ({
    name: "t",
    description: "",
    inputSchema: {},
    call: answer,
  });

  test("is called with what the model gave, and its words go back", async () => {
    const calls: unknown[] = [];
    const heard = await opened([], {
      tools: [
        tool((args, callId) => {
          calls.push([args, callId]);
          return Promise.resolve({ ok: true, text: "found" });
        }),
      ],
    });
    await heard.turn(`${call("t")}\n${call("unknown")}`);
    await ended(heard);
    const said = heard.facts("agent_said").map(({ text }) => JSON.parse(text) as unknown);
    expect(calls).toEqual([[{ a: 1 }, "c"]]);
    expect(said).toEqual([
      { success: true, contentItems: [{ type: "inputText", text: "found" }] },
      { success: false, contentItems: [{ type: "inputText", text: expect.stringContaining("unknown") }] },
    ]);
  });

  test("that breaks is an answer too", async () => {
    const heard = await opened([], { tools: [tool(() => Promise.reject(new Error("broken")))] });
    expect((await heard.turn(call("t"))).status).toBe("completed");
    expect(heard.facts("agent_said")[0]?.text).toContain("broken");
    await ended(heard);
  });

  test("is told to give up when its turn ends", async () => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const heard = await opened([], {
      tools: [
        tool((_args, _callId, signal) => {
          resolve(signal);
          return new Promise((done) =>
            signal.addEventListener("abort", () => done({ ok: false, text: "given up" })),
          );
        }),
      ],
    });
    heard.session.turn(call("t"));
    const signal = await promise;
    expect(signal.aborted).toBe(false);
    await ended(heard);
    expect(signal.aborted).toBe(true);
  });
});

describe("the end of a session", () => {
  const shutdown = failure("shutdown", "told to stop");

  test("takes along a child that left its session", async () => {
    const file = join(ground, "pid");
    const heard = await opened([`child=${file}`]);
    const pid = Number(readFileSync(file, "utf8"));
    expect(startTicks(pid)).not.toBeNull();
    await ended(heard);
    expect(startTicks(pid)).toBeNull();
  });

  test("comes even when the process will not leave", async () => {
    const heard = await opened(["stubborn"], {}, { patience: { leaveMs: 50, termMs: 50 } });
    heard.session.stop(shutdown);
    expect((await heard.over()).failure).toEqual(shutdown);
  });

  test("removes empty directories that were not there before, and no others", async () => {
    const workspace = join(ground, "ws");
    mkdirSync(join(workspace, ".codex"), { recursive: true });
    const heard = await opened([], { workspace });
    for (const name of [".git", ".aws"]) mkdirSync(join(workspace, name));
    mkdirSync(join(workspace, ".agents", "skills"), { recursive: true });
    await ended(heard);
    const left = [".git", ".agents", ".codex", ".aws"].filter((name) => existsSync(join(workspace, name)));
    expect(left).toEqual([".agents", ".codex"]);
  });

  test("is the agent's own doing when it goes between turns", async () => {
    const heard = await opened();
    const { pid } = heard.of("launched")[0] ?? { pid: 0 };
    await heard.turn("one");
    process.kill(pid, "SIGKILL");
    const { failure: why } = await heard.over();
    expect(why?.kind).toBe("port_exit");
    expect(why?.message).toContain("SIGKILL");
  });

  test("keeps the reason it was stopped for when the process dies of it", async () => {
    const heard = await opened();
    heard.session.turn("hold");
    const { pid } = await heard.next("launched");
    await heard.next("turn_started");
    heard.session.stop(shutdown);
    process.kill(pid, "SIGKILL");
    expect((await heard.over()).failure).toEqual(shutdown);
    expect(heard.of("turn_ended")).toHaveLength(1);
  });

  test("during the handshake is as good as later", async () => {
    const heard = light(["silent"], { resume: threadId("t") });
    await heard.next("launched");
    heard.session.stop(shutdown);
    expect((await heard.over()).failure).toEqual(shutdown);
    expect(heard.types()).toEqual(["launched", "exited"]);
  });
});

describe("two sessions", () => {
  test("never have one thread: whose commands are whose could not be told", async () => {
    const clock = () => instant(Date.now());
    const agent = createCodexAgent({ clock, env: process.env, version: "0" });
    const open = () => new Heard(agent, { command: lightCommand(), resume: threadId("thread-of-somebody") });
    const first = open();
    await first.next("opened");
    const second = open();
    expect((await second.over()).failure).toMatchObject({ kind: "protocol_violation" });
    expect(second.types()).not.toContain("opened");
    expect((await first.turn("say:mine")).status).toBe("completed");
    await ended(first);
    const third = open();
    await third.next("opened");
    await ended(third);
  });
});
