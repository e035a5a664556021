/**
 * The typed view of one WORKFLOW.md (SPEC 4.1.3): defaults applied, `$VAR` and `~`
 * resolved, durations in milliseconds. workflow/ makes it; everybody else reads it.
 */
import type { WorkflowName } from "./run.ts";

export interface TrackerSettings {
  /**
   * One of the kinds in tracker/kinds.ts. The next four its reader in workflow/tracker-kinds.ts makes of keys that have its
   * own words; the labels and states are keys that all kinds share.
   */
  readonly kind: string;
  /** Where it answers, for people to see: of Linear https, or plain http on loopback. */
  readonly endpoint: string;
  /** A secret; empty for a kind that has none. */
  readonly apiKey: string;
  /** What holds the issues: a project, a repository, a board. Empty for a kind that has only one. */
  readonly projectSlug: string;
  /** A user id, an e-mail address, or `me` (the key's own user); null = anybody. */
  readonly assignee: string | null;
  /** Lower-cased; an issue needs all of them. */
  readonly requiredLabels: readonly string[];
  /** As written, for the server-side filter; compare with `stateKey`. */
  readonly activeStates: readonly string[];
  readonly terminalStates: readonly string[];
}

export interface HookSettings {
  readonly afterCreate: string | null;
  readonly beforeRun: string | null;
  readonly afterRun: string | null;
  readonly beforeRemove: string | null;
  readonly timeoutMs: number;
}

export interface WorkspaceSettings {
  /** Absolute. */
  readonly root: string;
  /** Nothing new starts while the disk has less free than this; 0 = not looked at. */
  readonly minFreeBytes: number;
  /** Nothing new starts while all workspaces of the root take more than this; null = no limit. */
  readonly maxBytes: number | null;
}

/** Work saved from workspaces before they are removed. */
export interface RescueSettings {
  readonly retentionDays: number;
}

export interface AgentSettings {
  readonly maxConcurrentAgents: number;
  /** Keys are `stateKey`s. */
  readonly maxConcurrentAgentsByState: ReadonlyMap<string, number>;
  readonly maxTurns: number;
  readonly maxRetryBackoffMs: number;
}

/** Values that belong to Codex and pass through as they are (SPEC 5.3.6). */
export type CodexValue =
  | string
  | number
  | boolean
  | null
  | readonly CodexValue[]
  | { readonly [key: string]: CodexValue };

export interface CodexSettings {
  /** Shell command, run by `bash -lc` in the workspace. */
  readonly command: string;
  readonly model: string | null;
  readonly reasoningEffort: string | null;
  readonly serviceTier: string | null;
  /** Codex's AskForApproval: `never`, `on-request`, `untrusted` or `{granular: {...}}`. */
  readonly approvalPolicy: CodexValue;
  /** Codex's SandboxMode: `read-only`, `workspace-write`, `danger-full-access`. */
  readonly threadSandbox: string;
  /** Codex's SandboxPolicy (`{type: workspaceWrite, ...}`); null = derived from `threadSandbox`. */
  readonly turnSandboxPolicy: { readonly [key: string]: CodexValue } | null;
  /** Let commands write the workspace's git directory, so that the agent can commit. */
  readonly writableGit: boolean;
  /** Names of environment variables for the agent and its commands, and for hooks, besides the usual ones. */
  readonly envPass: readonly string[];
  /** The same for Codex itself, and not for the commands it runs. */
  readonly envProvider: readonly string[];
  /** Longest silence in a turn, whatever is under way. */
  readonly turnTimeoutMs: number;
  readonly readTimeoutMs: number;
  /** Longest silence with nothing under way; 0 = never stalled. */
  readonly stallTimeoutMs: number;
  /** Longest silence while a tool or an MCP server is called. */
  readonly toolTimeoutMs: number;
}

export interface LimitSettings {
  readonly maxRunsPerIssue: number;
  readonly maxTokensPerIssue: number;
  /** Daemon-wide; the smallest of all workflows' counts. null = no limit. */
  readonly maxTokensPerDay: number | null;
  /** Consecutive. */
  readonly maxFailures: number;
  /** Consecutive completed runs that changed nothing. */
  readonly maxIdleRuns: number;
  readonly maxRunMs: number;
}

export interface PolicySettings {
  readonly approvals: {
    readonly mode: "auto" | "deny" | "operator";
    readonly timeoutMs: number;
    readonly onTimeout: "deny" | "park";
  };
  readonly questions: { readonly mode: "decline" | "operator" | "park" };
}

export interface LedgerSettings {
  /** Absolute path; null = `.baton/ledger.db` beside the first WORKFLOW.md. */
  readonly path: string | null;
  readonly retentionDays: number;
}

export interface ServerSettings {
  /** null = no server. */
  readonly port: number | null;
  readonly host: string;
  readonly auth: "token" | "none";
}

export interface Settings {
  readonly name: WorkflowName;
  readonly tracker: TrackerSettings;
  readonly pollIntervalMs: number;
  readonly workspace: WorkspaceSettings;
  readonly rescue: RescueSettings;
  readonly hooks: HookSettings;
  readonly agent: AgentSettings;
  readonly codex: CodexSettings;
  readonly limits: LimitSettings;
  readonly policy: PolicySettings;
  readonly ledger: LedgerSettings;
  readonly server: ServerSettings;
  readonly shutdownGraceMs: number;
}

/** One WORKFLOW.md as loaded: what a run keeps as its snapshot. */
export interface Workflow {
  /** Absolute path of the file. */
  readonly path: string;
  /** Whole text of the file, and its SHA-256 in hex: the ledger stores the text once per hash. */
  readonly text: string;
  readonly hash: string;
  readonly settings: Settings;
  /** Prompt body, trimmed (SPEC 5.2); may be empty. */
  readonly template: string;
}
