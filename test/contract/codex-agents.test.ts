/** Agents that the model starts by itself, which Codex offers by default: what they use counts, and a turn ends with them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, gate, hold, say, shell, usage, type ModelRequest } from "../../src/demo/model/model.ts";
import { eventually } from "../eventually.ts";
import { Session } from "./codex-rig-agent.ts";
import { openRig, realCodex } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";

/** The child that was started in this thread. */
const childOf = ({ outputs }: ModelRequest): string => {
  const told = outputs.find((output) => output.includes("agent_id")) ?? "{}";
  return (JSON.parse(told) as { agent_id?: string }).agent_id ?? "";
};
const spawn = (message: string) => call("spawn_agent", { message });
const waitForChild = call("wait_agent", (seen: ModelRequest) => ({
  targets: [childOf(seen)],
  timeout_ms: 20_000,
}));

describe.runIf(realCodex)("an agent of the model's own", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(async () => rig.close());

  /** What each thread was last said to have used, the session's own first. */
  const totals = (session: Session): readonly number[] => {
    const marks = new Map<string, number>();
    for (const news of session.news) if (news.type === "opened") marks.set(news.threadId, 0);
    for (const news of session.news) if (news.type === "usage") marks.set(news.threadId, news.total.total);
    return [...marks.values()];
  };

  test("is told with the tokens of its own thread, which are not among those of the session's", async () => {
    rig.plays("COUNT-CHILD", [[usage({ input: 5_000_000, output: 100 }), say("counted")]]);
    rig.plays("COUNTS", [
      [usage({ input: 10, output: 1 }), spawn("COUNT-CHILD")],
      [usage({ input: 20, output: 1 }), waitForChild],
      [usage({ input: 3 }), say("done")],
    ]);
    const session = new Session(rig, rig.workspace("counts"));
    await session.turn("COUNTS");
    await session.end();
    expect(totals(session)).toEqual([35, 5_000_100]);
  });

  test("for which nobody waits is waited for: the turn is over when it is", async () => {
    const answer = gate();
    rig.plays("LATE-CHILD", [
      [usage({ input: 500 }), hold(answer), shell("echo done > late.txt")],
      [usage({ input: 700 }), say("written")],
    ]);
    rig.plays("LATE", [
      [usage({ input: 10 }), spawn("LATE-CHILD")],
      [usage({ input: 20 }), say("I wait for nobody")],
    ]);
    const workspace = rig.workspace("late");
    const session = new Session(rig, workspace);
    await session.next("opened");
    session.agent.turn("LATE");
    // Codex itself says that the turn is completed.
    await eventually(() => expect(session.received()).toContain('"turn/completed"'));
    expect(session.news.some(({ type }) => type === "turn_ended")).toBe(false);
    answer.open();
    const end = await session.next("turn_ended");
    expect(end).toMatchObject({ status: "completed", message: "I wait for nobody" });
    expect(existsSync(join(workspace, "late.txt"))).toBe(true);
    await session.end();
    expect(totals(session)).toEqual([30, 1200]);
    expect(session.facts("warning")).toEqual([]);
  });

  test("that takes too long is interrupted with its command, and then the turn is over", async () => {
    rig.plays("SLOW-CHILD", [[shell("sleep 305; echo done > slow.txt", { waitMs: 20_000 })], [say("never")]]);
    rig.plays("SLOW", [[spawn("SLOW-CHILD")], [say("I wait for nobody")]], [[say("second turn")]]);
    const session = new Session(rig, rig.workspace("slow"), { patience: { childrenMs: 4000 } });
    await session.next("opened");
    session.agent.turn("SLOW");
    await eventually(() => expect(rig.sleepers()).toContain("sleep 305"));
    expect(await session.next("turn_ended")).toMatchObject({ status: "completed" });
    await eventually(() => expect(rig.sleepers()).not.toContain("sleep 305"));
    expect(session.facts("warning")).toHaveLength(1);
    expect(await session.turn("and now?")).toMatchObject({ status: "completed", message: "second turn" });
    await session.end();
  });

  test("is ended with the session that is stopped", async () => {
    rig.plays("STOP-CHILD", [[shell("sleep 306", { waitMs: 20_000 })], [say("never")]]);
    rig.plays("STOP-PARENT", [[spawn("STOP-CHILD")], [hold(gate()), say("never")]]);
    const session = new Session(rig, rig.workspace("stop-child"));
    await session.next("opened");
    session.agent.turn("STOP-PARENT");
    await eventually(() => expect(rig.sleepers()).toContain("sleep 306"));
    await session.end();
    expect(rig.sleepers()).not.toContain("sleep 306");
  });

  test("that a later session goes on with is told with all it ever used", async () => {
    rig.plays(
      "AGAIN-CHILD",
      [[usage({ input: 7000 }), say("first")]],
      [[usage({ input: 11 }), say("second")]],
    );
    rig.plays(
      "AGAIN",
      [
        [usage({ input: 10 }), spawn("AGAIN-CHILD")],
        [usage({ input: 10 }), waitForChild],
        [usage({ input: 10 }), say("done")],
      ],
      [
        [usage({ input: 1 }), call("resume_agent", (seen: ModelRequest) => ({ id: childOf(seen) }))],
        [
          usage({ input: 1 }),
          call("send_input", (seen: ModelRequest) => ({ target: childOf(seen), message: "again" })),
        ],
        [usage({ input: 1 }), waitForChild],
        [usage({ input: 1 }), say("done again")],
      ],
    );
    const workspace = rig.workspace("again");
    const first = new Session(rig, workspace);
    await first.turn("AGAIN");
    await first.end();
    const { threadId } = await first.next("opened");
    const second = new Session(rig, workspace, { resume: threadId });
    await second.turn("go on");
    await second.end();
    expect([totals(first), totals(second)]).toEqual([
      [30, 7000],
      [34, 7011],
    ]);
  });
});
