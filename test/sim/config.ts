/** The WORKFLOW.md files of the simulated installation, as people write and break them. */
import { workflowName, type WorkflowName } from "../../src/domain/run.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import type { Random } from "./random.ts";

export const MAIN = workflowName("main");
export const REVIEW = workflowName("review");
export const WORKFLOWS: readonly [WorkflowName, ...WorkflowName[]] = [MAIN, REVIEW];

/** What is peculiar to one installation. */
export interface Habits {
  /** Both workflows want some of the same issues. */
  readonly overlapping: boolean;
  readonly pollIntervalMs: number;
}

export const habits = (random: Random): Habits => ({
  overlapping: random.chance(0.5),
  pollIntervalMs: random.pick([30_000, 60_000, 120_000]),
});

/** Settings under which everything that may run can run. */
export function calmPolicy(workflow: WorkflowName, { overlapping, pollIntervalMs }: Habits): Policy {
  const own = workflow === MAIN ? ["todo", "in progress"] : ["in review"];
  return {
    workflow,
    hash: `${workflow}-calm`,
    // In its own project; projects.ts has the other.
    scope: workflow,
    codexHash: "codex",
    codexProgram: null,
    activeStates: new Set(overlapping ? ["todo", "in progress", ...own] : own),
    terminalStates: new Set(["done", "canceled"]),
    requiredLabels: [workflow === MAIN ? "baton" : "review"],
    pollIntervalMs: workflow === MAIN ? pollIntervalMs : 2 * pollIntervalMs,
    agentsMax: 3,
    agentsMaxByState: new Map(),
    turnsMax: 4,
    backoffMaxMs: 300_000,
    silenceMaxMs: 300_000,
    callSilenceMaxMs: 600_000,
    limits: {
      maxRunMs: 6 * 3_600_000,
      maxRunsPerIssue: 15,
      maxTokensPerIssue: 4_000_000,
      maxTokensPerDay: null,
      maxIdleRuns: 3,
      maxFailures: 10,
    },
    graceMs: 30_000,
  };
}

/** An edit: some limits are other than before. */
export function edited(calm: Policy, random: Random, edits: number): Policy {
  return {
    ...calm,
    hash: `${calm.workflow}-${edits}`,
    pollIntervalMs: random.chance(0.5) ? calm.pollIntervalMs : random.spread(10_000, 600_000),
    agentsMax: random.between(1, 4),
    agentsMaxByState: new Map(random.chance(0.5) ? [["todo", random.between(1, 2)]] : []),
    turnsMax: random.between(1, 5),
    backoffMaxMs: random.spread(20_000, 1_800_000),
    silenceMaxMs: random.chance(0.1) ? 0 : random.spread(60_000, 600_000),
    limits: {
      maxRunMs: random.spread(3_600_000, 6 * 3_600_000),
      maxRunsPerIssue: random.between(2, 15),
      maxTokensPerIssue: random.spread(300_000, 4_000_000),
      maxTokensPerDay: random.chance(0.5) ? null : random.spread(500_000, 10_000_000),
      maxIdleRuns: random.between(1, 3),
      maxFailures: random.between(2, 10),
    },
    graceMs: random.pick([0, 10_000, 30_000]),
  };
}
