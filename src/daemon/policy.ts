/** From a workflow's settings to what decisions depend on. */
import { createHash } from "node:crypto";
import { type Settings, stateKey, type TrackerSettings, type Workflow } from "../domain/domain.ts";
import type { Policy } from "../scheduler/scheduler.ts";

/**
 * Which issues are meant, where, and by whose key, in one word: what differs in any of it was asked of something else. A
 * checksum, because the key is a secret.
 */
const scopeOf = (tracker: TrackerSettings): string =>
  createHash("sha256").update(JSON.stringify(tracker)).digest("hex").slice(0, SCOPE_DIGITS);

/** Told from others of the same workflow alone. */
const SCOPE_DIGITS = 16;

/** What decides which Codex is started. */
export const programOf = ({ codex: { command, envPass, envProvider } }: Settings): string =>
  createHash("sha256")
    .update(JSON.stringify([command, envPass, envProvider]))
    .digest("hex");

/** The scheduler's view of a loaded WORKFLOW.md. */
export function policyOf({ hash, settings }: Workflow): Policy {
  const { tracker, agent, codex, limits } = settings;
  return {
    workflow: settings.name,
    hash,
    scope: scopeOf(tracker),
    codexHash: createHash("sha256")
      .update(JSON.stringify([codex, settings.policy]))
      .digest("hex"),
    codexProgram: programOf(settings),
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
