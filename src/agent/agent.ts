/** The face of this folder: the agent port, and Codex behind it. It must not know who runs or why. */
export {
  agentEnvironment,
  agentMark,
  AgentProcess,
  type Answer,
  createCodexAgent,
  type Passing,
  type Patience,
  Rpc,
  type RpcListener,
  strings,
  threadMark,
  turnSandbox,
} from "./codex/codex.ts";
export type { Agent, AgentNews, AgentSession, AgentTool, ToolAnswer } from "./port.ts";
