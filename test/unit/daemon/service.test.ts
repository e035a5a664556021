import { expect, test } from "vitest";
import { ScriptedAgent } from "../../../src/agent/scripted.ts";
import { Daemon } from "../../../src/daemon/service.ts";
import type { Fact } from "../../../src/domain/fact.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import { HandClock } from "./hand-clock.ts";

/** Takes everything but the last word. */
class Failing extends MemoryLedger {
  override append(fact: Fact): void {
    if (fact.type === "daemon_stopped") throw new Error("no last words");
    super.append(fact);
  }
}

test("a daemon that meets an error on its way down comes to an end all the same, and says which", async () => {
  const clock = new HandClock();
  const daemon = new Daemon({
    version: "0",
    files: [],
    warnings: new Map(),
    clock,
    ledger: new Failing(),
    facts: new Facts(new Redactor()),
    onLoaded: () => {},
    makeTracker: () => {
      throw new Error("there is no workflow to track");
    },
    agent: new ScriptedAgent(
      () => ({}),
      () => clock.now(),
    ),
    workspaces: createMemoryWorkspaces(),
    survey: async () => null,
    work: async () => null,
    diskLow: async () => null,
    tidy: async () => {},
  });
  await daemon.start();
  daemon.requestStop("the test is over");
  expect(await daemon.stopped).toMatchObject({ how: "fatal", error: { message: "no last words" } });
});
