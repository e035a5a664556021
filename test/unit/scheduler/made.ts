/** Issues, policies and states for scheduler tests. Everything has a default; a test says only what it is about. */
import { issueId, type Issue, type IssueStatus, type IssueSummary } from "../../../src/domain/issue.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { instant, type Instant } from "../../../src/domain/time.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import type { Effect, Work } from "../../../src/scheduler/effects.ts";
import type { Event } from "../../../src/scheduler/events.ts";
import { violations } from "../../../src/scheduler/invariants.ts";
import type { Claim, Policy, State } from "../../../src/scheduler/state.ts";

export const T0 = instant(1_700_000_000_000);
export const W = workflowName("main");

export const madePolicy = (more: Partial<Policy> = {}): Policy => ({
  workflow: W,
  hash: "h1",
  activeStates: new Set(["todo", "in progress"]),
  terminalStates: new Set(["done", "canceled"]),
  requiredLabels: ["baton"],
  pollIntervalMs: 30_000,
  agentsMax: 3,
  agentsMaxByState: new Map(),
  turnsMax: 3,
  backoffMaxMs: 300_000,
  silenceMaxMs: 300_000,
  runMaxMs: 6 * 3_600_000,
  runsMax: 15,
  tokensMax: 1_000_000,
  tokensPerDayMax: null,
  idleRunsMax: 3,
  failuresMax: 10,
  graceMs: 30_000,
  ...more,
});

export const madeIssue = (key: string, more: Partial<Issue> = {}): Issue => ({
  id: issueId(`id-${key}`),
  identifier: key,
  title: `Title of ${key}`,
  state: "Todo",
  priority: null,
  createdAt: T0,
  updatedAt: T0,
  dispatchable: true,
  description: null,
  branchName: null,
  url: null,
  labels: ["baton"],
  blockedBy: [],
  ...more,
});

export const summaryOf = ({
  id,
  identifier,
  title,
  state,
  priority,
  createdAt,
  updatedAt,
  dispatchable,
}: IssueStatus): IssueSummary => ({
  id,
  identifier,
  title,
  state,
  priority,
  createdAt,
  updatedAt,
  dispatchable,
});

type Untimed = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

/** The scheduler on a bench: time is set by hand, effects pile up until taken, and every step is checked. */
export class Bench {
  state: State;
  now: Instant;
  #effects: Effect[] = [];

  constructor(policy: Policy = madePolicy(), state: State = initialState) {
    this.state = state;
    this.now = T0;
    this.say({ type: "configured", policy });
    this.say({ type: "began" });
  }

  say(event: Untimed): readonly Effect[] {
    const before = this.state;
    const [after, effects] = decide(before, { ...event, at: this.now });
    const broken = violations(before, effects, after);
    if (broken.length > 0) throw new Error(`${event.type}: ${broken.join("; ")}`);
    this.state = after;
    this.#effects.push(...effects);
    return effects;
  }

  /** Lets time pass and rings the alarm. */
  pass(ms: number): readonly Effect[] {
    this.now = instant(this.now + ms);
    return this.say({ type: "woke" });
  }

  /** Takes the effects of one type that piled up. */
  take<T extends Work["type"]>(type: T): readonly Extract<Work, { type: T }>[] {
    const taken = this.#effects.filter(
      (effect): effect is Extract<Work, { type: T }> => effect.type === type,
    );
    this.#effects = this.#effects.filter((effect) => effect.type !== type);
    return taken;
  }

  /** Facts of one type said so far, not taken away. */
  facts(type: string): readonly Effect[] {
    return this.#effects.filter((effect) => effect.type === "fact" && effect.fact.type === type);
  }

  /** The tracker lists these issues, and shows them whole when asked. */
  scan(...issues: readonly Issue[]): void {
    this.take("poll");
    this.say({ type: "polled", workflow: W, candidates: issues.map(summaryOf), tookMs: 1 });
    this.answer(...issues);
  }

  /** Answers every revalidation asked for, until none is. */
  answer(...issues: readonly Issue[]): void {
    for (let asked = this.take("revalidate"); asked.length > 0; asked = this.take("revalidate")) {
      for (const { workflow, ids } of asked) {
        this.say({
          type: "revalidated",
          workflow,
          ids,
          issues: issues.filter((issue) => ids.includes(issue.id)),
        });
      }
    }
  }

  claim(issue: Issue): Claim | undefined {
    return this.state.claims.get(issue.id);
  }

  /** The live run of this issue; fails the test when there is none. */
  run(issue: Issue) {
    const claim = this.claim(issue);
    if (claim?.phase !== "running") throw new Error(`${issue.identifier} is not running`);
    return { runId: claim.run.id, issueId: issue.id };
  }
}
