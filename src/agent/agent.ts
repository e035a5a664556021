/** The face of this folder: the agent port, and Codex behind it. It must not know who runs or why. */
export {
  agentEnvironment,
  agentMark,
  AgentProcess,
  type Answer,
  createCodexAgent,
  Fitness,
  knownFits,
  LACK_REMEDY,
  lackWords,
  noKnownFits,
  type Passing,
  type Patience,
  programIn,
  Rpc,
  type RpcListener,
  strings,
  TESTED_RELEASE,
  threadMark,
  turnSandbox,
} from "./codex/codex.ts";
export type { Agent, AgentNews, AgentSession, AgentTool, Fit, ToolAnswer } from "./port.ts";
