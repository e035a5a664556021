/** The typed view of a front matter (SPEC 4.1.3, 6.1): shape checked, defaults applied, everything resolved. */
import path from "node:path";
import {
  type AgentSettings,
  type CodexSettings,
  type PolicySettings,
  type Settings,
  stateKey,
  workflowName,
} from "../domain/domain.ts";
import { approvalPolicy } from "./approval-policy.ts";
import { checkEnvironment } from "./environment-settings.ts";
import { type Findings, shown } from "./findings.ts";
import { warnOfNotYet } from "./not-yet.ts";
import { pathAt, workspaceRoot } from "./path-settings.ts";
import { threadSandbox, turnSandboxPolicy } from "./sandbox.ts";
import type { FrontMatter } from "./schema.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TrackerReaders } from "./tracker-kinds.ts";
import { trackerSettings } from "./tracker-settings.ts";

/** What it returns is only to be used when `findings` has no problem afterwards. */
export function settingsFrom(
  front: FrontMatter,
  around: Surroundings,
  findings: Findings,
  kinds: TrackerReaders,
): Settings {
  const tracker = trackerSettings(front.tracker, around, findings, kinds);
  checkEnvironment(front, tracker.apiKey, around, findings);
  const codex = codexSettings(front, around, findings);
  const policy = policySettings(front, codex);
  const server = { port: front.server.port ?? null, host: front.server.host, auth: front.server.auth };
  warnOfNotYet(server, policy, front.approvals.mode === undefined, findings);
  return {
    name: workflowName(front.name?.trim() ?? path.parse(around.file).name),
    tracker,
    pollIntervalMs: front.polling.interval_ms,
    workspace: {
      root: workspaceRoot(front.workspace.root, around, findings),
      minFreeBytes: front.workspace.min_free_bytes,
      maxBytes: front.workspace.max_bytes ?? null,
    },
    rescue: { retentionDays: front.rescue.retention_days },
    hooks: hookSettings(front.hooks),
    agent: agentSettings(front.agent, findings),
    codex,
    limits: limitSettings(front.limits),
    policy,
    ledger: {
      path:
        front.ledger.path === undefined
          ? null
          : pathAt(["ledger", "path"], front.ledger.path, around, findings),
      retentionDays: front.ledger.retention_days,
    },
    server,
    shutdownGraceMs: front.shutdown.grace_ms,
  };
}

function hookSettings(hooks: FrontMatter["hooks"]): Settings["hooks"] {
  return {
    afterCreate: script(hooks.after_create),
    beforeRun: script(hooks.before_run),
    afterRun: script(hooks.after_run),
    beforeRemove: script(hooks.before_remove),
    timeoutMs: hooks.timeout_ms,
  };
}

const script = (text: string | undefined): string | null =>
  text === undefined || text.trim() === "" ? null : text;

function agentSettings(agent: FrontMatter["agent"], findings: Findings): AgentSettings {
  return {
    maxConcurrentAgents: agent.max_concurrent_agents,
    maxConcurrentAgentsByState: capsByState(agent.max_concurrent_agents_by_state, findings),
    maxTurns: agent.max_turns,
    maxRetryBackoffMs: agent.max_retry_backoff_ms,
  };
}

/** SPEC 5.3.5: state names are normalised, entries that are no positive integers are ignored. */
function capsByState(
  entries: Readonly<Record<string, unknown>>,
  findings: Findings,
): ReadonlyMap<string, number> {
  const caps = new Map<string, { readonly state: string; readonly cap: number }>();
  for (const [state, value] of Object.entries(entries)) {
    const key = ["agent", "max_concurrent_agents_by_state", state];
    const cap = typeof value === "string" && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
    if (typeof cap !== "number" || !Number.isSafeInteger(cap) || cap <= 0) {
      findings.warn(key, `must be a whole number of at least 1, got ${shown(value)}; the entry is ignored.`);
      continue;
    }
    const before = caps.get(stateKey(state));
    if (before !== undefined)
      findings.warn(
        key,
        `is the same state as ${shown(before.state)} above, whose ${before.cap} does not count: capitals, and blanks around a name, make no difference. Leave one of them.`,
      );
    caps.set(stateKey(state), { state, cap });
  }
  return new Map([...caps].map(([state, { cap }]) => [state, cap]));
}

function codexSettings({ codex }: FrontMatter, around: Surroundings, findings: Findings): CodexSettings {
  return {
    command: codex.command,
    model: codex.model ?? null,
    reasoningEffort: codex.reasoning_effort ?? null,
    serviceTier: codex.service_tier ?? null,
    approvalPolicy: approvalPolicy(codex.approval_policy, findings),
    threadSandbox: threadSandbox(codex.thread_sandbox, findings),
    turnSandboxPolicy: turnSandboxPolicy(codex.turn_sandbox_policy, around, findings),
    writableGit: codex.writable_git,
    envPass: codex.env_pass,
    envProvider: codex.env_provider,
    turnTimeoutMs: codex.turn_timeout_ms,
    readTimeoutMs: codex.read_timeout_ms,
    stallTimeoutMs: Math.max(0, codex.stall_timeout_ms),
    toolTimeoutMs: codex.tool_timeout_ms,
  };
}

function limitSettings(limits: FrontMatter["limits"]): Settings["limits"] {
  return {
    maxRunsPerIssue: limits.max_runs_per_issue,
    maxTokensPerIssue: limits.max_tokens_per_issue,
    maxTokensPerDay: limits.max_tokens_per_day ?? null,
    maxFailures: limits.max_failures,
    maxIdleRuns: limits.max_idle_runs,
    maxRunMs: limits.max_run_ms,
  };
}

/** Under `never` Codex asks only what it must, and nobody was promised to be there to answer. */
function policySettings({ approvals, questions }: FrontMatter, codex: CodexSettings): PolicySettings {
  return {
    approvals: {
      mode: approvals.mode ?? (codex.approvalPolicy === "never" ? "auto" : "operator"),
      timeoutMs: approvals.timeout_ms,
      onTimeout: approvals.on_timeout,
    },
    questions: { mode: questions.mode },
  };
}
