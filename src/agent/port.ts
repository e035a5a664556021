/**
 * The agent port: one process working on one issue for one run. agent/codex/ drives the real `codex app-server`;
 * agent/scripted.ts is a full fake; test/contract/agent-suite.ts holds the cases both must pass.
 */
import type {
  CodexSettings,
  FactBody,
  Failure,
  Instant,
  PolicySettings,
  ThreadId,
  Tokens,
  TurnId,
  UnderWay,
} from "../domain/domain.ts";

export interface Agent {
  /**
   * Starts one agent process for one run and opens its thread. Never throws and never rejects: whatever goes wrong
   * arrives as an `exited` news, which is always the last and comes exactly once, after the process group is gone.
   * `report` is called synchronously in the order things happened.
   */
  start(spec: AgentSpec, report: (news: AgentNews) => void): AgentSession;
}

export interface AgentSpec {
  /** Unique over all runs of all installations on this machine: processes that carry it are this run's, and ended with it. */
  readonly mark: string;
  readonly identifier: string;
  readonly title: string;
  /** Absolute real path; the process's cwd (SPEC 9.5 invariant 1). */
  readonly workspace: string;
  /** The thread to resume when there is one; when it cannot be resumed, a new one is started and said so. */
  readonly resume: ThreadId | null;
  readonly codex: CodexSettings;
  readonly policy: PolicySettings;
  /** Dynamic tools offered to the model. */
  readonly tools: readonly AgentTool[];
  /** Values that must never reach the agent, whatever the environment says (tracker keys). */
  readonly secrets: readonly string[];
}

/** A tool that runs in the daemon, on behalf of the model. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * Runs one call. Never rejects: trouble is `ok: false` with a text the model can act on. Bounded by its own
   * deadline; `signal` aborts when the turn is over.
   */
  readonly call: (args: unknown, callId: string, signal: AbortSignal) => Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly ok: boolean;
  readonly text: string;
}

export interface AgentSession {
  /**
   * Starts the next turn on the thread with this text; valid after `opened` and after each `turn_ended`. The answer
   * is news: `turn_started`, later `turn_ended`. A turn of which nothing is heard for `turnTimeoutMs`, from this call
   * on, is interrupted, whatever is under way in it: `turn_timeout`.
   */
  turn(text: string): void;
  /** Adds text to the running turn. Resolves to whether the agent took it; false when no turn is active. */
  steer(text: string): Promise<boolean>;
  /**
   * Ends the session: interrupts a running turn, cleans background terminals, asks the process to leave, then
   * terminates and kills its group, each step bounded. Idempotent. `why` becomes the failure of `exited`; null = a
   * normal end.
   */
  stop(why: Failure | null): void;
  /** For the stall rule: whether the agent is alive, and what it may be silent over. */
  pulse(): Pulse;
  /** What is under way, for people: the oldest first, the first `UNDER_WAY_MAX` of it. */
  underWay(): readonly UnderWay[];
}

/** More at once is seldom, and too much to read. */
export const UNDER_WAY_MAX = 5;

export interface Pulse {
  /** When the agent was last heard, or asked for the turn under way. */
  readonly signAt: Instant;
  /** Commands under way, which may work in silence. */
  readonly openCommands: number;
  /** Calls under way: of tools, of MCP servers, of other agents. */
  readonly openCalls: number;
}

export type AgentNews =
  /** The process exists. Reported before the first request is written, so that it can be recorded first. */
  | { readonly type: "launched"; readonly pid: number; readonly startTicks: number | null }
  | {
      readonly type: "opened";
      readonly threadId: ThreadId;
      readonly resumed: boolean;
      readonly why: string | null;
    }
  | { readonly type: "turn_started"; readonly turnId: TurnId }
  | {
      readonly type: "turn_ended";
      readonly turnId: TurnId | null;
      readonly status: "completed" | "failed" | "interrupted";
      /** Set unless completed. */
      readonly failure: Failure | null;
      /** The turn's last agent message, when there was one. */
      readonly message: string | null;
    }
  /** High-water mark of the thread's tokens so far: Codex's reports repeat and shrink, this never does. */
  | { readonly type: "usage"; readonly threadId: ThreadId; readonly total: Tokens }
  /** Something to be kept in the account of the run: items, answers, retries, rate limits, malformed lines. */
  | { readonly type: "fact"; readonly fact: FactBody }
  | { readonly type: "exited"; readonly failure: Failure | null };

/** Whether the Codex that a command starts has what is needed of it. `version`: null = it does not say. */
export type Fit =
  | { readonly is: "fit"; readonly version: string | null }
  /** `missing`: in words, at least one. */
  | { readonly is: "unfit"; readonly version: string | null; readonly missing: readonly string[] }
  /** `lasting`: to ask the same command again would tell nothing new. */
  | {
      readonly is: "unknown";
      readonly version: string | null;
      readonly why: string;
      readonly lasting: boolean;
    };
