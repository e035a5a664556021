import { describe, expect, test } from "vitest";
import { drainingWords, type Seen, unansweredWords } from "../../../src/cli/unanswered.ts";
import type { Fact } from "../../../src/domain/fact.ts";
import type { Beat } from "../../../src/ledger/heartbeat.ts";
import { ago, now } from "./history.ts";

const pause = { type: "pause", scope: "*", why: "so", until: null } as const;
const drain = { type: "drain", why: "so" } as const;
const holder = { pid: 42, since: new Date(ago(60)).toISOString(), workflows: [] };
const seen = (phase: Beat["phase"], minutes = 0, stuck: string | null = null): Seen => ({
  held: true,
  holder,
  heartbeat: { at: ago(minutes), beat: { pid: 42, phase, stuck, workflows: [] } },
});
const gone: Seen = { held: false, holder: null, heartbeat: null };

describe("an order that nobody has answered", () => {
  test("waits for the next daemon only where there is none", () => {
    expect(unansweredWords(pause, gone, now)).toContain("when one starts on this ledger");
  });

  test("is obeyed by a daemon that is stopped when that goes on, and it is named", () => {
    const words = unansweredWords(pause, seen("serving", 1), now);
    expect(words).toContain("process 42) gives no sign of life");
    expect(words).toContain("or by the next one");
    expect(unansweredWords(drain, seen("serving", 1), now)).not.toContain("next one");
  });

  test("is the next one's where the daemon is ending", () => {
    expect(unansweredWords(pause, seen("stopping"), now)).toContain("is ending and takes no orders");
  });

  test("waits for a daemon that is busy, or that cannot write", () => {
    expect(unansweredWords(pause, seen("serving"), now)).toContain("has not answered yet");
    expect(unansweredWords(pause, seen("serving", 0, "disk full"), now)).toContain("disk full");
    const silent = { held: true, holder: null, heartbeat: null };
    expect(unansweredWords(pause, silent, now)).toContain("the daemon has not answered yet");
  });
});

describe("a drain", () => {
  const row = (type: "draining" | "daemon_stopping", minutes: number) => ({
    at: ago(minutes),
    runId: null,
    fact: { type, why: "so", at: ago(minutes) } satisfies Fact,
  });

  test("is under way by the sign of life, or by what was told since, of this daemon alone", () => {
    expect(drainingWords(seen("draining"), [])).toContain("process 42) is draining already");
    expect(drainingWords(seen("serving"), [row("draining", 5)])).toContain("is draining already");
    expect(drainingWords(seen("serving"), [row("daemon_stopping", 5)])).toContain("is ending already");
    expect(drainingWords(seen("stopping"), [])).toContain("is ending already");
    expect(drainingWords(seen("serving"), [row("draining", 120)])).toBeNull();
    expect(drainingWords(gone, [row("draining", 5)])).toBeNull();
  });
});
