/** From a workflow's settings to what decisions depend on. */
import { stateKey, type Workflow } from "../domain/domain.ts";
import type { Policy } from "../scheduler/scheduler.ts";

/** The scheduler's view of a loaded WORKFLOW.md. */
export function policyOf({ hash, settings }: Workflow): Policy {
  const { tracker, agent, codex, limits } = settings;
  return {
    workflow: settings.name,
    hash,
    activeStates: new Set(tracker.activeStates.map(stateKey)),
    terminalStates: new Set(tracker.terminalStates.map(stateKey)),
    requiredLabels: tracker.requiredLabels,
    pollIntervalMs: settings.pollIntervalMs,
    agentsMax: agent.maxConcurrentAgents,
    agentsMaxByState: agent.maxConcurrentAgentsByState,
    turnsMax: agent.maxTurns,
    backoffMaxMs: agent.maxRetryBackoffMs,
    silenceMaxMs: codex.stallTimeoutMs,
    callSilenceMaxMs: codex.toolTimeoutMs,
    limits,
    graceMs: settings.shutdownGraceMs,
  };
}
