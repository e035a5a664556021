/** The agent port over the real `codex app-server`. Layers: process (bytes) → lines → rpc (messages) → session. */
import type { Instant, ThreadId } from "../../domain/domain.ts";
import { loginShellMs } from "../../processes/processes.ts";
import type { Agent } from "../port.ts";
import { AgentProcess, defaultPatience } from "./process.ts";
import { CodexSession, type SessionParts, type SessionPatience } from "./session.ts";
import { CHILDREN_MS, INTERRUPT_MS } from "./turn.ts";

export { AgentProcess, type Patience } from "./process.ts";
export { type Answer, Rpc, type RpcListener } from "./rpc.ts";
export { strings, turnSandbox } from "./sandbox.ts";
export { agentEnvironment, agentMark, type Passing, threadMark } from "./environment.ts";
export { Fitness } from "./fitness.ts";
export { knownFits, noKnownFits } from "./known-fits.ts";
export { LACK_REMEDY, lackWords } from "./lacks.ts";
export { programIn } from "./program.ts";
export { TESTED_RELEASE } from "./releases.ts";

export interface CodexOptions {
  readonly clock: () => Instant;
  /** The daemon's environment, of which the agent gets the allowed part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Baton's own version, told to Codex. */
  readonly version: string;
  /** How long each step of ending a session may take; together well under the default `shutdown.grace_ms`. */
  readonly patience?: Partial<SessionPatience>;
  /** How long a login shell takes to begin; null = it hangs. */
  readonly loginShellMs?: SessionParts["loginShellMs"];
}

const CLEAN_MS = 2000;

/** An agent that runs `codex.command` for each session. */
export function createCodexAgent({
  clock,
  env,
  version,
  patience,
  loginShellMs: shellMs = loginShellMs,
}: CodexOptions): Agent {
  const patient = {
    ...defaultPatience,
    interruptMs: INTERRUPT_MS,
    childrenMs: CHILDREN_MS,
    cleanMs: CLEAN_MS,
    ...patience,
  };
  const launch: SessionParts["launch"] = (what, listener) => new AgentProcess(what, listener);
  const parts = {
    clock,
    env,
    version,
    patience: patient,
    threads: new Set<ThreadId>(),
    launch,
    loginShellMs: shellMs,
  };
  return { start: (spec, report) => new CodexSession(spec, parts, report) };
}
