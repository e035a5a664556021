import { expect } from "vitest";
import { createCodexAgent } from "../../src/agent/codex/codex.ts";
import { ScriptedAgent, type ScriptedRun, type ScriptedTurn } from "../../src/agent/scripted.ts";
import { failure } from "../../src/domain/failure.ts";
import { noTokens } from "../../src/domain/run.ts";
import { instant } from "../../src/domain/time.ts";
import { lightCommand, liveChildren } from "../unit/agent/light.ts";
import { agentSuite, type Behaviour } from "./agent-suite.ts";

const well: ScriptedTurn = {
  status: "completed",
  tokens: { ...noTokens, input: 90, output: 10, total: 100 },
};

const scripts: { readonly [behaviour in Behaviour]: ScriptedRun } = {
  normal: { turns: [well, well] },
  holds: {},
  fails: { turns: [{ status: "failed" }, well] },
  dies: {},
  "refuses-start": { fails: failure("port_exit", "scripted exit") },
  forgets: { forgets: true },
};

agentSuite("the scripted agent", () => ({
  agentThat: (behaviour) => {
    const agent = new ScriptedAgent(() => scripts[behaviour]);
    if (behaviour !== "dies") return { agent, command: "" };
    const start: typeof agent.start = (spec, report) =>
      agent.start(spec, (news) => {
        report(news);
        if (news.type === "turn_started") agent.sessions[0]?.crash();
      });
    return { agent: { start }, command: "" };
  },
  close: () => Promise.resolve(),
}));

const commands: { readonly [behaviour in Behaviour]: string } = {
  normal: lightCommand(),
  holds: lightCommand(),
  fails: lightCommand(),
  dies: lightCommand(),
  "refuses-start": lightCommand("exit=3"),
  forgets: lightCommand("refuse-resume"),
};

/** So long that a case which only ends by giving up fails. */
const patience = { interruptMs: 60_000, cleanMs: 60_000, leaveMs: 60_000 };

agentSuite("the codex agent", () => ({
  agentThat: (behaviour) => ({
    agent: createCodexAgent({ clock: () => instant(Date.now()), env: process.env, version: "0", patience }),
    command: commands[behaviour],
  }),
  close: () => {
    expect(liveChildren()).toEqual([]);
    return Promise.resolve();
  },
}));
