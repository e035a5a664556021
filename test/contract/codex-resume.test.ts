/** A thread outlives its process: what a later session finds of it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentTool } from "../../src/agent/port.ts";
import { call, gate, hold, say, shell, usage } from "../../src/demo/model/model.ts";
import { threadId } from "../../src/domain/run.ts";
import { eventually } from "../eventually.ts";
import { Session } from "./codex-rig-agent.ts";
import { openRig, realCodex } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";

describe.runIf(realCodex)("a thread", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(async () => rig.close());

  const tool: AgentTool = {
    name: "linear_graphql",
    description: "Asks the tracker.",
    inputSchema: { type: "object" },
    call: () => Promise.resolve({ ok: true, text: "answered" }),
  };
  test("is resumed after a kill: the model sees what came before exactly once, and goes on", async () => {
    rig.plays("SURVIVOR", [
      shell("echo alpha"),
      [call("linear_graphql", {}), shell("echo beta")],
      [hold(gate()), say("never")],
    ]);
    const workspace = rig.workspace("survivor");
    const first = new Session(rig, workspace, { tools: [tool] });
    const { threadId } = await first.next("opened");
    first.agent.turn("SURVIVOR");
    await rig.model.asked(({ prompts, outputs }) => prompts[0] === "SURVIVOR" && outputs.length === 3);
    await first.crash();
    expect(await first.gone()).toMatchObject({ kind: "port_exit" });

    rig.plays("SURVIVOR", [
      shell("echo alpha"),
      [call("linear_graphql", {}), shell("echo beta")],
      call("linear_graphql", {}),
      say("done"),
    ]);
    const second = new Session(rig, workspace, { resume: threadId, tools: [tool] });
    expect(await second.turn("go on")).toMatchObject({ status: "completed", message: "done" });
    await second.end();
    expect(await second.next("opened")).toMatchObject({ threadId, resumed: true, why: null });
    const last = rig.model.requests.findLast(({ thread }) => thread === threadId);
    expect(last?.prompts).toEqual(["SURVIVOR", "go on"]);
    expect(last?.items.filter(({ type }) => type === "call")).toHaveLength(4);
    expect(last?.outputs.map((text) => /alpha|beta|answered/.exec(text)?.[0])).toEqual([
      "alpha",
      "answered",
      "beta",
      "answered",
    ]);
  });

  test("keeps its total of tokens over sessions", async () => {
    rig.plays(
      "TOTAL",
      [[usage({ input: 100, output: 5 }), say("one")]],
      [[usage({ input: 10, output: 2 }), say("two")]],
    );
    const workspace = rig.workspace("total");
    const first = new Session(rig, workspace);
    await first.turn("TOTAL");
    await first.end();
    const { threadId } = await first.next("opened");
    const second = new Session(rig, workspace, { resume: threadId });
    await second.turn("more");
    await second.end();
    const totals = second.news.flatMap((news) => (news.type === "usage" ? [news] : []));
    expect(totals.at(-1)).toMatchObject({ threadId, total: { input: 110, output: 7, total: 117 } });
    expect(totals.every(({ total }) => total.total >= 105)).toBe(true);
  });

  test("that nobody knows is replaced by a new one, and the reason is said", async () => {
    rig.plays("UNKNOWN-THREAD", [say("done")]);
    const unknown = threadId("01900000-0000-7000-8000-000000000000");
    const session = new Session(rig, rig.workspace("unknown-thread"), { resume: unknown });
    expect(await session.turn("UNKNOWN-THREAD")).toMatchObject({ status: "completed" });
    await session.end();
    const opened = await session.next("opened");
    expect(opened.resumed).toBe(false);
    expect(opened.threadId).not.toBe(unknown);
    expect(opened.why).toContain("no rollout found");
  });

  test("that somebody archived is replaced by a new one, and the reason is said", async () => {
    rig.plays("ARCHIVED", [say("one")], [say("two")]);
    const workspace = rig.workspace("archived");
    const first = new Session(rig, workspace);
    await first.turn("ARCHIVED");
    const { threadId: archived } = await first.next("opened");
    await first.end();
    const person = await rig.wire();
    await person.request("thread/archive", { threadId: archived });
    await person.close();
    const second = new Session(rig, workspace, { resume: archived });
    const opened = await second.next("opened");
    await second.end();
    expect(opened.resumed).toBe(false);
    expect(opened.threadId).not.toBe(archived);
    expect(opened.why).toContain("is archived");
  });

  test("that another process is just letting go is waited for", async () => {
    rig.plays("LET-GO", [say("one")], [say("two")]);
    const workspace = rig.workspace("let-go");
    const first = new Session(rig, workspace);
    await first.turn("LET-GO");
    const { threadId } = await first.next("opened");
    const second = new Session(rig, workspace, { resume: threadId });
    await second.next("launched");
    await eventually(() => expect(second.received()).toContain("already has an active writer"));
    await first.crash();
    expect(await second.next("opened")).toMatchObject({ threadId, resumed: true });
    expect(await second.turn("go on")).toMatchObject({ message: "two" });
    await second.end();
    await first.gone();
  });

  test("that another process still writes is not written by two", async () => {
    rig.plays("WRITTEN", [say("one")], [say("two")]);
    const workspace = rig.workspace("written");
    const first = new Session(rig, workspace);
    await first.turn("WRITTEN");
    const { threadId } = await first.next("opened");
    const second = new Session(rig, workspace, { resume: threadId });
    const opened = await second.next("opened");
    expect(opened.resumed).toBe(false);
    expect(opened.threadId).not.toBe(threadId);
    await second.end();
    expect(await first.turn("more")).toMatchObject({ message: "two" });
    await first.end();
  });
});
