/** Our client and the real binary: from the launch of a session to its end, and everything a turn may do in between. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gate, headers, hold, say, shell, usage } from "../../src/demo/model/model.ts";
import { failure } from "../../src/domain/failure.ts";
import { eventually } from "../eventually.ts";
import { Session } from "./codex-rig-agent.ts";
import { openRig, realCodex } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";
import { machine } from "../../src/processes/machine.ts";

describe.runIf(realCodex)("a session", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig({ streamRetries: 1 });
  });
  afterAll(async () => rig.close());

  const kinds = (session: Session): readonly string[] =>
    session.news.flatMap(({ type }) => (type === "fact" || type === "usage" ? [] : [type]));

  test("is launched, opened, runs two turns on one thread, and exits; in this order and each once", async () => {
    rig.plays("TWO-TURNS", [say("first answer")], [say("second answer")]);
    const session = new Session(rig, rig.workspace("two-turns"));
    const first = await session.turn("TWO-TURNS please");
    const second = await session.turn("and the rest");
    expect(await session.end()).toBeNull();
    expect(kinds(session).join(" ")).toBe(
      "launched opened turn_started turn_ended turn_started turn_ended exited",
    );
    expect([first, second]).toMatchObject([
      { status: "completed", failure: null, message: "first answer" },
      { status: "completed", failure: null, message: "second answer" },
    ]);
    expect(first.turnId).not.toBe(second.turnId);
    const last = rig.model.requests.findLast(({ prompts }) => prompts[0] === "TWO-TURNS please");
    expect(last?.prompts).toEqual(["TWO-TURNS please", "and the rest"]);
    expect(last?.items.filter(({ type }) => type === "assistant")).toEqual([
      { type: "assistant", text: "first answer" },
    ]);
  });

  test("says which process it is before it writes to it, and leaves none behind", async () => {
    const session = new Session(rig, rig.workspace("launched"));
    const { pid, startTicks } = await session.next("launched");
    expect(startTicks).toBe(machine.startOf(pid));
    await session.next("opened");
    await session.end();
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test("names its thread after the issue", async () => {
    rig.plays("NAMED", [say("done")]);
    const session = new Session(rig, rig.workspace("named"));
    await session.turn("NAMED");
    await session.end();
    const wire = await rig.wire();
    const { threadId } = await session.next("opened");
    const { thread } = await wire.request("thread/read", { threadId, includeTurns: false });
    await wire.close();
    expect(thread).toMatchObject({ name: expect.stringMatching(/^ABC-\d+: A ticket$/) });
  });

  test("reports the thread's tokens as a total that never falls, and the provider's limits", async () => {
    rig.plays(
      "TOKENS",
      [
        [
          usage({ input: 100, cached: 40, output: 9, reasoning: 5 }),
          headers({ "x-codex-primary-used-percent": "12", "x-codex-primary-window-minutes": "300" }),
          say("one"),
        ],
      ],
      [[usage({ input: 300, cached: 80, output: 1 }), say("two")]],
    );
    const session = new Session(rig, rig.workspace("tokens"));
    await session.turn("TOKENS");
    await session.turn("more");
    await session.end();
    const totals = session.news.flatMap((news) => (news.type === "usage" ? [news.total] : []));
    expect(totals.at(-1)).toEqual({
      input: 400,
      cachedInput: 120,
      output: 10,
      reasoningOutput: 5,
      total: 410,
    });
    expect(totals.map(({ total }) => total)).toEqual(
      totals.map(({ total }) => total).toSorted((a, b) => a - b),
    );
    expect(JSON.stringify(session.facts("rate_limits"))).toContain("300");
  });

  test("keeps commands and patches in its account, with how they went", async () => {
    rig.plays("ACCOUNT", [shell("echo hello; exit 3"), say("done")]);
    const session = new Session(rig, rig.workspace("account"));
    await session.turn("ACCOUNT");
    await session.end();
    const [command] = session.facts("command_ran");
    expect(command).toMatchObject({ exitCode: 3, output: expect.stringContaining("hello") });
    expect(command?.command).toContain("echo hello");
  });

  test("offers the model no tool to start turns by itself", async () => {
    rig.plays("NO-GOALS", [say("done")]);
    const session = new Session(rig, rig.workspace("no-goals"));
    await session.turn("NO-GOALS");
    await session.end();
    const { tools } = await rig.model.asked(({ prompts }) => prompts[0] === "NO-GOALS");
    expect(tools).toContain("exec_command");
    expect(tools).not.toContain("create_goal");
  });

  test("takes a message of 3 MB whole, and thousands of deltas without keeping them", async () => {
    rig.plays("LARGE", [say("x".repeat(3_000_000))], [say("y".repeat(30_000), { pieces: 3000 })]);
    const session = new Session(rig, rig.workspace("large"));
    const large = await session.turn("LARGE");
    const before = session.news.length;
    const many = await session.turn("many");
    await session.end();
    expect(large.status).toBe("completed");
    expect(many.message?.length).toBeGreaterThan(0);
    expect(session.news.length - before).toBeLessThan(30);
  });

  test("can be steered while a turn runs, and only then", async () => {
    const answer = gate();
    rig.plays("STEERED", [[hold(answer), say("done")]]);
    const session = new Session(rig, rig.workspace("steered"));
    await session.next("opened");
    expect(await session.agent.steer("too early")).toBe(false);
    session.agent.turn("STEERED");
    await session.next("turn_started");
    await rig.model.asked(({ prompts }) => prompts[0] === "STEERED");
    expect(await session.agent.steer("wrap up")).toBe(true);
    await rig.model.asked(({ prompts }) => prompts[0] === "STEERED" && prompts.includes("wrap up"));
    answer.open();
    expect((await session.next("turn_ended")).status).toBe("completed");
    expect(await session.agent.steer("too late")).toBe(false);
    await session.end();
  });

  test("counts a command as open while it runs, and hears from the agent", async () => {
    rig.plays("PULSE", [shell("sleep 303", { waitMs: 250 }), [hold(gate()), say("never")]]);
    const session = new Session(rig, rig.workspace("pulse"));
    await session.next("opened");
    const before = session.agent.pulse();
    session.agent.turn("PULSE");
    await rig.model.asked(({ prompts, outputs }) => prompts[0] === "PULSE" && outputs.length === 1);
    const during = session.agent.pulse();
    expect([before.openCommands, during.openCommands]).toEqual([0, 1]);
    expect(session.agent.underWay()).toMatchObject([{ what: expect.stringMatching(/^\$ .*sleep 303/) }]);
    expect(during.signAt).toBeGreaterThanOrEqual(before.signAt);
    await session.end();
  });

  test("that is stopped in a turn interrupts it, ends with the reason it was given, and leaves no command", async () => {
    rig.plays("STOPPED", [shell("sleep 304", { waitMs: 250 }), [hold(gate()), say("never")]]);
    const session = new Session(rig, rig.workspace("stopped"));
    await session.next("opened");
    session.agent.turn("STOPPED");
    await rig.model.asked(({ prompts, outputs }) => prompts[0] === "STOPPED" && outputs.length === 1);
    await eventually(() => expect(rig.sleepers()).toContain("sleep 304"));
    const why = failure("shutdown", "the daemon stops");
    expect(await session.end(why)).toEqual(why);
    expect(await session.next("turn_ended")).toMatchObject({ status: "interrupted" });
    expect(rig.processes().filter(({ command }) => command === "sleep 304")).toEqual([]);
  });

  test("can be stopped at any moment: before it is opened, and before its turn has begun", async () => {
    rig.plays("AT-ONCE", [[hold(gate()), say("never")]]);
    const early = new Session(rig, rig.workspace("early"));
    await early.next("launched");
    expect(await early.end()).toBeNull();
    const late = new Session(rig, rig.workspace("late"));
    await late.next("opened");
    late.agent.turn("AT-ONCE");
    expect(await late.end()).toBeNull();
  });

  test("whose process dies in a turn ends with that, once", async () => {
    rig.plays("KILLED", [[hold(gate()), say("never")]]);
    const session = new Session(rig, rig.workspace("killed"));
    await session.next("opened");
    session.agent.turn("KILLED");
    await rig.model.asked(({ prompts }) => prompts[0] === "KILLED");
    await session.crash();
    expect(await session.gone()).toMatchObject({ kind: "port_exit" });
    session.agent.stop(failure("shutdown", "too late to matter"));
    expect(session.news.filter(({ type }) => type === "exited")).toHaveLength(1);
  });

  test("whose command does not exist says so", async () => {
    const session = new Session(rig, rig.workspace("missing"), {
      codex: { command: "no-such-codex app-server" },
    });
    const { failure } = await session.next("exited");
    expect(failure?.kind).toBe("codex_not_found");
    expect(failure?.hint).not.toBeNull();
  });
});
