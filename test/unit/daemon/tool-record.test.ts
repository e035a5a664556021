import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedAgent } from "../../../src/agent/scripted.ts";
import { Daemon } from "../../../src/daemon/service.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { LedgerError } from "../../../src/ledger/port.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { linearGraphqlTool } from "../../../src/tracker/linear/graphql-tool.ts";
import { MemoryBoard } from "../../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../../src/tracker/memory.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import { eventually } from "../../eventually.ts";
import { HandClock } from "./hand-clock.ts";

const text = `---
tracker: {kind: linear, project_slug: demo, api_key: lin_api_key, active_states: [Todo], terminal_states: [Done]}
---
Work.
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tool-record-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A daemon whose one agent is at work, and that agent's tool. */
async function atWork() {
  writeFileSync(join(folder, "WORKFLOW.md"), text);
  const file = new WorkflowFile(join(folder, "WORKFLOW.md"), {}, folder);
  const board = new MemoryBoard();
  board.add({ title: "One", state: "Todo" });
  const trackers: MemoryTracker[] = [];
  let full = false;
  const trouble = (): LedgerError | null =>
    full ? new LedgerError("full", "ledger.db", "the disk is full", "Make room.") : null;
  const ledger = new MemoryLedger({ trouble });
  const redactor = new Redactor();
  const clock = new HandClock();
  const agent = new ScriptedAgent(
    () => ({}),
    () => clock.now(),
  );
  const daemon = new Daemon({
    version: "0",
    files: [file],
    warnings: new Map(),
    clock,
    ledger,
    facts: new Facts(redactor),
    onLoaded: () => {},
    makeTracker: ({ settings }) => {
      const tracker = new MemoryTracker(board, { ...settings.tracker, projectSlug: "demo" });
      trackers.push(tracker);
      return tracker;
    },
    toolsFor: (tracker, { mark, publish, record }) => [
      linearGraphqlTool(tracker, { started: record, called: publish }, { mark }),
    ],
    agent,
    workspaces: createMemoryWorkspaces(),
    survey: async () => null,
    diskLow: async () => null,
    tidy: async () => {},
  });
  await daemon.start();
  const session = await eventually(() => {
    const busy = agent.live.find(({ isBusy }) => isBusy);
    if (busy === undefined) throw new Error("no agent has begun a turn");
    return busy;
  });
  const [tool] = session.spec.tools;
  const [tracker] = trackers;
  if (tool === undefined || tracker === undefined) throw new Error("the agent has no tool");
  const call = (callId: string) =>
    tool.call(
      { query: 'mutation { commentCreate(input: {body: "x"}) { success } }' },
      callId,
      new AbortController().signal,
    );
  const kept = (): readonly string[] =>
    ledger
      .timeline(
        ledger.runs({ limit: 1 }).map(({ id }) => id),
        99,
      )
      .map(({ fact }) => fact.type);
  return {
    tracker,
    call,
    kept,
    fill: (is: boolean) => {
      full = is;
    },
    stop: async () => {
      daemon.requestStop("the test is over");
      daemon.requestStop("now");
      await daemon.stopped;
    },
  };
}

test("what an agent changes is in the ledger before it goes out, and not sent when the ledger takes nothing", async () => {
  const { tracker, call, kept, fill, stop } = await atWork();
  const sent: (readonly string[])[] = [];
  tracker.answerWith(() => {
    sent.push(kept());
    return { data: {} };
  });
  expect((await call("a")).ok).toBe(true);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain("tool_started");
  expect(sent[0]).not.toContain("tool_called");
  expect(kept()).toContain("tool_called");
  fill(true);
  expect((await call("b")).text).toContain("the disk is full");
  expect(sent).toHaveLength(1);
  fill(false);
  await stop();
});
