/** What every agent promises (agent/agent.ts), fake or real. */
import { afterEach, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/port.ts";
import { failure, type Failure } from "../../src/domain/failure.ts";
import { threadId } from "../../src/domain/run.ts";
import { Heard } from "../unit/agent/heard.ts";

/** What a session does: `normal` completes each turn; `holds` completes none; the others are named after their end. */
export type Behaviour = "normal" | "holds" | "fails" | "dies" | "refuses-start" | "forgets";

export interface AgentRig {
  readonly agentThat: (behaviour: Behaviour) => { readonly agent: Agent; readonly command: string };
  /** Ends everything; throws when something is left. */
  readonly close: () => Promise<void>;
}

const shutdown = failure("shutdown", "told to stop");

export function agentSuite(name: string, open: () => AgentRig): void {
  describe(name, () => {
    let rig = open();
    afterEach(async () => {
      await rig.close();
      rig = open();
    });

    const start = (behaviour: Behaviour, more: ConstructorParameters<typeof Heard>[1] = {}): Heard => {
      const { agent, command } = rig.agentThat(behaviour);
      return new Heard(agent, { command, ...more });
    };

    test("tells nothing during the call that starts it", () => {
      const heard = start("normal");
      expect(heard.news).toEqual([]);
      heard.session.stop(null);
      return heard.over();
    });

    test("is launched, opened, runs its turns and exits: in this order, each once, the exit last", async () => {
      const heard = start("normal");
      await heard.next("opened");
      for (const text of ["one", "two"]) expect((await heard.turn(text)).status).toBe("completed");
      heard.session.stop(null);
      expect((await heard.over()).failure).toBeNull();
      const types = heard.types().filter((type) => type !== "fact" && type !== "usage");
      const turn = ["turn_started", "turn_ended"];
      expect(types).toEqual(["launched", "opened", ...turn, ...turn, "exited"]);
    });

    test("reports a thread's tokens as a total that grows", async () => {
      const heard = start("normal");
      await heard.next("opened");
      await heard.turn("one");
      await heard.turn("two");
      heard.session.stop(null);
      await heard.over();
      const totals = heard.of("usage").map(({ total }) => total.total);
      expect(totals.length).toBeGreaterThanOrEqual(2);
      expect(totals).toEqual([...new Set(totals)].toSorted((a, b) => a - b));
    });

    test("resumes the thread it is given, and says so", async () => {
      const heard = start("normal", { resume: threadId("thread-of-old") });
      expect(await heard.next("opened")).toMatchObject({
        threadId: "thread-of-old",
        resumed: true,
        why: null,
      });
      heard.session.stop(null);
      await heard.over();
    });

    test("starts another thread when the one it is given is gone, and says why", async () => {
      const heard = start("forgets", { resume: threadId("thread-of-old") });
      const opened = await heard.next("opened");
      expect(opened.resumed).toBe(false);
      expect(opened.threadId).not.toBe("thread-of-old");
      expect(opened.why).toContain("thread-of-old");
      heard.session.stop(null);
      await heard.over();
    });

    test("a failed turn says why, and the session goes on", async () => {
      const heard = start("fails");
      await heard.next("opened");
      const ended = await heard.turn('fail:"other"');
      expect(ended.status).toBe("failed");
      expect(ended.failure?.kind).toBe("turn_failed");
      expect((await heard.turn("after that")).status).toBe("completed");
      heard.session.stop(null);
      expect((await heard.over()).failure).toBeNull();
    });

    test("stopped in a turn, it interrupts the turn and ends with the reason it was given", async () => {
      const heard = start("holds");
      await heard.next("opened");
      heard.session.turn("hold");
      await heard.next("turn_started");
      heard.session.stop(shutdown);
      expect(await heard.next("turn_ended")).toMatchObject({ status: "interrupted", failure: shutdown });
      expect((await heard.over()).failure).toEqual(shutdown);
    });

    test("stopped without a reason in a turn, the turn is interrupted and the end is a normal one", async () => {
      const heard = start("holds");
      await heard.next("opened");
      heard.session.turn("hold");
      await heard.next("turn_started");
      heard.session.stop(null);
      const ended = await heard.next("turn_ended");
      expect([ended.status, ended.failure?.kind]).toEqual(["interrupted", "turn_cancelled"]);
      expect((await heard.over()).failure).toBeNull();
    });

    test.each<[string, (heard: Heard) => unknown]>([
      ["at once", () => null],
      ["when it is launched", (heard) => heard.next("launched")],
      ["when it is opened", (heard) => heard.next("opened")],
      [
        "when a turn was just asked for",
        async (heard) => {
          await heard.next("opened");
          heard.session.turn("hold");
        },
      ],
    ])("can be stopped %s", async (_, moment) => {
      const heard = start("holds");
      await moment(heard);
      heard.session.stop(shutdown);
      expect((await heard.over()).failure).toEqual(shutdown);
    });

    test("the first reason for stopping wins, and exit is told once", async () => {
      const heard = start("holds");
      await heard.next("opened");
      heard.session.turn("hold");
      await heard.next("turn_started");
      heard.session.stop(shutdown);
      heard.session.stop(failure("internal", "too late"));
      expect((await heard.over()).failure).toEqual(shutdown);
      heard.session.stop(failure("internal", "much too late"));
      heard.session.turn("into the void");
      expect(await heard.session.steer("into the void")).toBe(false);
      expect(heard.of("exited")).toHaveLength(1);
      expect(heard.types().at(-1)).toBe("exited");
    });

    test("a process that dies in a turn ends the turn, then the session", async () => {
      const heard = start("dies");
      await heard.next("opened");
      heard.session.turn("exit:3");
      const { failure: why } = await heard.over();
      expect(why?.kind).toBe("port_exit");
      const ended = heard.of("turn_ended");
      expect(ended.map(({ status, failure: reason }) => [status, reason?.kind])).toEqual([
        ["failed", "port_exit"],
      ]);
    });

    test("a process that never opens a thread is told as an exit with its reason", async () => {
      const heard = start("refuses-start");
      const { failure: why } = await heard.over();
      expect((why satisfies Failure | null)?.kind).toBe("port_exit");
      expect(heard.of("opened")).toEqual([]);
    });

    test("can be steered while a turn runs, and only then", async () => {
      const heard = start("holds");
      await heard.next("opened");
      expect(await heard.session.steer("too early")).toBe(false);
      heard.session.turn("hold");
      await heard.next("turn_started");
      expect(await heard.session.steer("in time")).toBe(true);
      heard.session.stop(null);
      await heard.over();
    });
  });
}
