import { describe, expect, test } from "vitest";
import {
  type Deed,
  type Happening,
  type Life,
  newLife,
  next,
  threadOf,
} from "../../../../src/agent/codex/life.ts";
import type { TurnEnd } from "../../../../src/agent/codex/turn.ts";
import { failure } from "../../../../src/domain/failure.ts";
import { threadId, turnId } from "../../../../src/domain/run.ts";

const thread = { id: threadId("t-1"), sandbox: {} };
const end: TurnEnd = { turnId: turnId("turn-1"), status: "completed", failure: null, message: null };
const why = failure("shutdown", "told to stop");
const gone: Happening = { type: "gone", why: (stage) => failure("port_exit", stage) };
const lives: readonly Life[] = [
  newLife,
  { phase: "idle", thread },
  { phase: "turn", thread },
  { phase: "stray", thread, waiting: null },
  { phase: "ending", thread, why },
  { phase: "over" },
];

/** The life after these, and all deeds on the way. */
function lived(...happenings: readonly Happening[]): {
  readonly life: Life;
  readonly deeds: readonly Deed[];
} {
  const deeds: Deed[] = [];
  let life = newLife;
  for (const happening of happenings) {
    const [after, asked] = next(life, happening);
    life = after;
    deeds.push(...asked);
  }
  return { life, deeds };
}
const types = (deeds: readonly Deed[]): readonly Deed["type"][] => deeds.map(({ type }) => type);

const opened: readonly Happening[] = [{ type: "spawned" }, { type: "greeted" }, { type: "opened", thread }];

test("a session opens, has turn after turn, cleans up and is over", () => {
  const { life, deeds } = lived(
    ...opened,
    { type: "asked", text: "one" },
    { type: "turn_started", id: "turn-1" },
    { type: "turn_ended", end },
    { type: "asked", text: "two" },
    { type: "turn_ended", end },
    { type: "stopped", why: null },
    gone,
    { type: "settled" },
  );
  expect(types(deeds)).toEqual([
    "open",
    "begin",
    "name_turn",
    "tell_turn_ended",
    "begin",
    "tell_turn_ended",
    "leave",
    "settle",
    "tell_exited",
  ]);
  expect(deeds.at(-1)).toEqual({ type: "tell_exited", why: null });
  expect(life).toEqual({ phase: "over" });
});

describe("the end of a session", () => {
  test("waits for the turn it interrupts, and only then leaves", () => {
    const { life, deeds } = lived(...opened, { type: "asked", text: "x" }, { type: "stopped", why });
    expect(deeds.at(-1)).toEqual({ type: "interrupt", why });
    expect(types(next(life, { type: "turn_ended", end })[1])).toEqual(["tell_turn_ended", "leave"]);
  });

  test("does not wait for a turn that is none of ours", () => {
    const { deeds } = lived(...opened, { type: "turn_started", id: "own" }, { type: "stopped", why: null });
    expect(types(deeds).slice(-2)).toEqual(["refuse_stray", "leave"]);
  });

  test("has the first reason, whatever comes after it", () => {
    const later = failure("turn_timeout", "later");
    const { deeds } = lived(...opened, { type: "stopped", why }, { type: "stopped", why: later }, gone, {
      type: "settled",
    });
    expect(deeds.at(-1)).toEqual({ type: "tell_exited", why });
  });

  test("is told once, from whatever state it comes", () => {
    for (const life of lives) {
      let now: Life = life;
      const told: Deed[] = [];
      for (const happening of [gone, { type: "settled" }, gone, { type: "settled" }] as const) {
        const [after, deeds] = next(now, happening);
        now = after;
        told.push(...deeds.filter(({ type }) => type === "tell_exited"));
      }
      expect(told).toHaveLength(life.phase === "over" ? 0 : 1);
    }
  });

  test("begins nothing new", () => {
    const { life } = lived(...opened, { type: "stopped", why: null });
    for (const happening of [
      { type: "asked", text: "x" },
      { type: "opened", thread },
    ] as const)
      expect(next(life, happening)).toEqual([life, []]);
    const unborn = lived({ type: "stopped", why: null }).life;
    expect(next(unborn, { type: "spawned" })).toEqual([unborn, []]);
  });
});

describe("a process that is suddenly gone", () => {
  const said = (...happenings: readonly Happening[]): string | undefined =>
    lived(...happenings, gone).deeds.flatMap((deed) => (deed.type === "settle" ? deed.why?.message : []))[0];

  test("is judged by how far it had come", () => {
    expect(said({ type: "spawned" })).toBe("silent");
    expect(said({ type: "spawned" }, { type: "greeted" })).toBe("opening");
    expect(said(...opened)).toBe("idle");
    expect(said(...opened, { type: "asked", text: "x" })).toBe("turn");
  });
});

describe("a turn", () => {
  test("is not begun beside another, and that is said", () => {
    const { life } = lived(...opened, { type: "asked", text: "x" });
    const [after, deeds] = next(life, { type: "asked", text: "y" });
    expect(after).toEqual(life);
    expect(types(deeds)).toEqual(["warn"]);
  });

  test("is not begun before there is a thread", () => {
    expect(next(newLife, { type: "asked", text: "x" })).toEqual([newLife, []]);
  });

  test("that begins by itself is refused once, and ours begins after it", () => {
    const { life, deeds } = lived(
      ...opened,
      { type: "turn_started", id: "own" },
      { type: "turn_started", id: "own" },
      { type: "asked", text: "ours" },
      { type: "stray_ended" },
    );
    expect(types(deeds)).toEqual(["open", "warn", "refuse_stray", "begin"]);
    expect(deeds.at(-1)).toEqual({ type: "begin", thread, text: "ours" });
    expect(life.phase).toBe("turn");
  });

  test("named while the session ends can be interrupted only then", () => {
    const { life } = lived(...opened, { type: "asked", text: "x" }, { type: "stopped", why });
    expect(next(life, { type: "turn_started", id: "late" })[1]).toEqual([{ type: "name_turn", id: "late" }]);
  });
});

test("the thread is known from its opening to the end", () => {
  expect(lives.map(threadOf)).toEqual([null, "t-1", "t-1", "t-1", "t-1", null]);
});
