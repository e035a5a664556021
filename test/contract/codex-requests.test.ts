/** What Codex asks of its client, and what our client answers when nobody is there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentTool, ToolAnswer } from "../../src/agent/port.ts";
import { addFile, call, gate, hold, say, shell } from "../../src/demo/model/model.ts";
import type { PolicySettings } from "../../src/domain/settings.ts";
import { Session } from "./codex-rig-agent.ts";
import type { SessionOptions } from "./codex-rig-agent.ts";
import { openRig, realCodex } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";

describe.runIf(realCodex)("a request of Codex", () => {
  let rig: Rig;
  beforeAll(async () => {
    const extra = "default_mode_request_user_input = true\nrequest_permissions_tool = true\n";
    rig = await openRig({ extra });
  });
  afterAll(async () => rig.close());

  /** One turn in a workspace of its own; with what the model read of its calls. */
  const oneTurn = async (prompt: string, options: SessionOptions) => {
    const workspace = rig.workspace(prompt.toLowerCase());
    const session = new Session(rig, workspace, options);
    const ended = await session.turn(prompt);
    await session.end();
    const outputs = rig.model.requests.findLast(({ prompts }) => prompts[0] === prompt)?.outputs ?? [];
    return { session, workspace, ended, outputs };
  };

  const question = {
    id: "which",
    header: "Which",
    question: "Which one?",
    options: [
      { label: "This", description: "this one" },
      { label: "That", description: "that one" },
    ],
  };

  const asking = (mode: PolicySettings["approvals"]["mode"]): SessionOptions => ({
    codex: { approvalPolicy: "on-request" },
    policy: { approvals: { mode, timeoutMs: 1000, onTimeout: "deny" }, questions: { mode: "decline" } },
  });
  const outside = (name: string): string => join(rig.home, name);

  test("to run a command outside the sandbox is granted when approvals are automatic", async () => {
    const path = outside("granted");
    rig.plays("GRANT-COMMAND", [shell(`touch ${path}`, { escalate: "May I?" }), say("done")]);
    const { session, ended } = await oneTurn("GRANT-COMMAND", asking("auto"));
    expect(ended.status).toBe("completed");
    expect(existsSync(path)).toBe(true);
    expect(session.facts("request_answered")).toMatchObject([
      { method: "item/commandExecution/requestApproval", about: expect.stringContaining("touch") },
    ]);
  });

  test("to run a command outside the sandbox is declined by policy, and the turn goes on", async () => {
    const path = outside("declined");
    rig.plays("DECLINE-COMMAND", [shell(`touch ${path}`, { escalate: "May I?" }), say("then not")]);
    const { session, ended, outputs } = await oneTurn("DECLINE-COMMAND", asking("deny"));
    expect(ended).toMatchObject({ status: "completed", message: "then not" });
    expect(outputs).toEqual([expect.stringContaining("rejected by user")]);
    expect(existsSync(path)).toBe(false);
    expect(session.facts("command_ran").map(({ status }) => status)).toEqual(["declined"]);
  });

  test("to write a file outside the workspace is granted or declined alike", async () => {
    const [granted, declined] = [outside("granted.txt"), outside("declined.txt")];
    rig.plays("GRANT-FILE", [addFile(granted, "x"), say("done")]);
    rig.plays("DECLINE-FILE", [addFile(declined, "x"), say("then not")]);
    const yes = await oneTurn("GRANT-FILE", asking("auto"));
    const no = await oneTurn("DECLINE-FILE", asking("deny"));
    expect([yes.ended.status, no.ended.status]).toEqual(["completed", "completed"]);
    expect(readFileSync(granted, "utf8")).toBe("x\n");
    expect(existsSync(declined)).toBe(false);
  });

  test("for a person's answer is declined, and the model is told that nobody is there", async () => {
    rig.plays("QUESTION", [call("request_user_input", { questions: [question] }), say("then I choose")]);
    const { session, ended, outputs } = await oneTurn("QUESTION", {});
    expect(ended).toMatchObject({ status: "completed", message: "then I choose" });
    expect(outputs).toEqual([expect.stringContaining('"which"')]);
    expect(session.facts("request_answered").map(({ method }) => method)).toEqual([
      "item/tool/requestUserInput",
    ]);
  });

  test("for more permissions is declined without ending the turn", async () => {
    const permissions = { network: { enabled: true } };
    rig.plays("PERMISSIONS", [call("request_permissions", { reason: "the net", permissions }), say("done")]);
    const { session, ended } = await oneTurn("PERMISSIONS", asking("deny"));
    expect(ended.status).toBe("completed");
    expect(session.facts("request_answered").map(({ method }) => method)).toEqual([
      "item/permissions/requestApproval",
    ]);
  });

  test("ends the session with its reason when the workflow wants a person and none is there", async () => {
    const path = outside("parked");
    rig.plays("PARK-COMMAND", [shell(`touch ${path}`, { escalate: "May I?" }), say("never")]);
    rig.plays("PARK-QUESTION", [call("request_user_input", { questions: [question] }), say("never")]);
    const park = (mode: "deny" | "operator", questions: "decline" | "park"): SessionOptions => ({
      codex: { approvalPolicy: "on-request" },
      policy: { approvals: { mode, timeoutMs: 1000, onTimeout: "park" }, questions: { mode: questions } },
    });
    const endOf = async (prompt: string, options: SessionOptions): Promise<unknown> => {
      const session = new Session(rig, rig.workspace(prompt.toLowerCase()), options);
      await session.next("opened");
      session.agent.turn(prompt);
      return (await session.gone())?.kind;
    };
    expect(await endOf("PARK-COMMAND", park("operator", "decline"))).toBe("approval_required");
    expect(await endOf("PARK-QUESTION", park("deny", "park"))).toBe("turn_input_required");
    expect(existsSync(path)).toBe(false);
  });

  const tool = (answer: AgentTool["call"], name = "linear_graphql"): AgentTool => ({
    name,
    description: "Asks the tracker.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    call: answer,
  });
  const answering = (answer: ToolAnswer, seen: unknown[] = []): AgentTool =>
    tool((args) => {
      seen.push(args);
      return Promise.resolve(answer);
    });

  test("to call a tool is answered with the tool's own words, for good or bad", async () => {
    rig.plays("TOOL", [call("linear_graphql", { query: "{ viewer { id } }" }), say("done")]);
    rig.plays("BAD-TOOL", [call("linear_graphql", { query: "{" }), say("done")]);
    const seen: unknown[] = [];
    const good = await oneTurn("TOOL", { tools: [answering({ ok: true, text: '{"data":1}' }, seen)] });
    const bad = await oneTurn("BAD-TOOL", { tools: [answering({ ok: false, text: "syntax error" }, seen)] });
    expect([good.outputs, bad.outputs]).toEqual([['{"data":1}'], ["syntax error"]]);
    expect(seen).toEqual([{ query: "{ viewer { id } }" }, { query: "{" }]);
    expect([good.ended.status, bad.ended.status]).toEqual(["completed", "completed"]);
  });

  test("to call several tools at once is answered call by call", async () => {
    const calls = [1, 2, 3].map((id) => call("linear_graphql", { id }, `parallel-${id}`));
    rig.plays("PARALLEL", [calls, say("done")]);
    const echo = tool((args, callId) =>
      Promise.resolve({ ok: true, text: `${callId} ${JSON.stringify(args)}` }),
    );
    const { outputs } = await oneTurn("PARALLEL", { tools: [echo] });
    expect(outputs).toEqual([1, 2, 3].map((id) => `parallel-${id} {"id":${id}}`));
  });

  test("to call a tool that does not exist never reaches our tools, and the model is told", async () => {
    rig.plays("NO-SUCH-TOOL", [call("jira_sql", {}), say("done")]);
    const seen: unknown[] = [];
    const { outputs, ended } = await oneTurn("NO-SUCH-TOOL", {
      tools: [answering({ ok: true, text: "" }, seen)],
    });
    expect(outputs).toEqual([expect.stringContaining("unsupported call")]);
    expect(seen).toEqual([]);
    expect(ended.status).toBe("completed");
  });

  test("to call a tool is given up when the session stops, and the tool knows", async () => {
    rig.plays("SLOW-TOOL", [call("linear_graphql", {}), say("never")]);
    const called = gate();
    const aborted = gate();
    const slow = tool((_args, _callId, signal) => {
      called.open();
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted.open();
          resolve({ ok: false, text: "aborted" });
        });
      });
    });
    const session = new Session(rig, rig.workspace("slow-tool"), { tools: [slow] });
    await session.next("opened");
    session.agent.turn("SLOW-TOOL");
    await called.opened;
    expect(session.agent.pulse()).toMatchObject({ openCommands: 0, openCalls: 1 });
    await session.end();
    await aborted.opened;
    expect((await session.next("turn_ended")).status).toBe("interrupted");
  });

  test("is always answered in a session that keeps going: the next turn finds the tools again", async () => {
    rig.plays("AGAIN", [call("linear_graphql", {}), say("one")], [call("linear_graphql", {}), say("two")]);
    let count = 0;
    const counting = tool(() => Promise.resolve({ ok: true, text: `call ${++count}` }));
    const session = new Session(rig, rig.workspace("again"), { tools: [counting] });
    await session.turn("AGAIN");
    await session.turn("more");
    await session.end();
    const last = rig.model.requests.findLast(({ prompts }) => prompts[0] === "AGAIN");
    expect(last?.outputs).toEqual(["call 1", "call 2"]);
  });

  test("left open by a held model does not keep the session from ending", async () => {
    rig.plays("HELD", [[hold(gate()), say("never")]]);
    const session = new Session(rig, rig.workspace("held"));
    await session.next("opened");
    session.agent.turn("HELD");
    await rig.model.asked(({ prompts }) => prompts[0] === "HELD");
    expect(await session.end()).toBeNull();
  });
});
