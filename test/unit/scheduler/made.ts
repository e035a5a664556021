/** Issues, policies and states for scheduler tests. Everything has a default; a test says only what it is about. */
import type { Fact } from "../../../src/domain/fact.ts";
import { issueId, type Issue, type IssueStatus, type IssueSummary } from "../../../src/domain/issue.ts";
import type { Order } from "../../../src/domain/order.ts";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens, runId, workflowName, type WorkflowName } from "../../../src/domain/run.ts";
import type { LimitSettings } from "../../../src/domain/settings.ts";
import { after, instant, type Instant } from "../../../src/domain/time.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import type { Decision, Work } from "../../../src/scheduler/effects.ts";
import type { News } from "../../../src/scheduler/events.ts";
import { violations } from "../../../src/scheduler/invariants.ts";
import { noSigns } from "../../../src/scheduler/signs.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import { noScan } from "../../../src/scheduler/scan-counts.ts";
import type {
  Candidate,
  Claim,
  Hold,
  Lane,
  Parked,
  Policy,
  Running,
  State,
  Waiting,
} from "../../../src/scheduler/state.ts";

export const T0 = instant(1_700_000_000_000);
export const W = workflowName("main");

/** What a test says of a policy: of the limits only those that it is about. */
export type PolicyChanges = Partial<Omit<Policy, "limits">> & { readonly limits?: Partial<LimitSettings> };

export const madePolicy = ({ limits = {}, ...more }: PolicyChanges = {}): Policy => ({
  workflow: W,
  hash: "h1",
  scope: "s1",
  codexHash: "c1",
  codexProgram: null,
  activeStates: new Set(["todo", "in progress"]),
  terminalStates: new Set(["done", "canceled"]),
  requiredLabels: ["baton"],
  pollIntervalMs: 30_000,
  agentsMax: 3,
  agentsMaxByState: new Map(),
  turnsMax: 3,
  backoffMaxMs: 300_000,
  silenceMaxMs: 300_000,
  callSilenceMaxMs: 600_000,
  limits: {
    maxRunMs: 6 * 3_600_000,
    maxRunsPerIssue: 15,
    maxTokensPerIssue: 1_000_000,
    maxTokensPerDay: null,
    maxIdleRuns: 3,
    maxFailures: 10,
    ...limits,
  },
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
  nativeRef: null,
  assigneeId: null,
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

/** A run of this issue that has had a turn. */
export const madeRunning = (issue: Issue, more: Partial<Running> = {}): Running => ({
  phase: "running",
  workflow: W,
  issue,
  run: {
    id: runId(`r-${issue.identifier}`),
    issueId: issue.id,
    identifier: issue.identifier,
    workflow: W,
    attempt: null,
    kind: "first",
    startedAt: T0,
  },
  step: "turn",
  thread: null,
  turns: 1,
  tokens: noTokens,
  threadTotal: noTokens,
  stateBefore: issue.state,
  landing: false,
  pulseAt: null,
  endBy: after(T0, 3_600_000),
  leave: null,
  seenDuring: 0,
  ending: null,
  ...more,
});

export const madeWaiting = (issue: Issue, more: Partial<Waiting> = {}): Waiting => ({
  phase: "waiting",
  workflow: W,
  issue,
  retryAt: after(T0, 10_000),
  attempt: 1,
  kind: "retry",
  why: "it died",
  failure: failure("port_exit", "it died"),
  ...more,
});

export const madeParked = (issue: Issue, more: Partial<Parked> = {}): Parked => ({
  phase: "parked",
  workflow: W,
  issue,
  reason: "failing",
  why: "it failed",
  wayOut: "release it",
  since: T0,
  ...more,
});

/** In line, and not looked at. */
export const madeCandidate = (issue: IssueStatus, more: Partial<Candidate> = {}): Candidate => ({
  issue: summaryOf(issue),
  refusedAt: null,
  blockers: [],
  look: "in line",
  ...more,
});

export const madeLane = (more: Partial<Lane> = {}): Lane => ({
  policy: madePolicy(),
  broken: null,
  hold: null,
  signs: noSigns,
  diskLow: null,
  fit: { lookAt: null, looking: false, waitUntil: null },
  pollAt: T0,
  pace: null,
  polling: false,
  polls: 0,
  sweepAt: T0,
  queue: [],
  remembered: new Map(),
  refusalsKept: true,
  ready: new Set(),
  revalidating: [],
  doubts: new Map(),
  failedLooks: 0,
  revalidateAt: T0,
  lookLater: null,
  lookingSince: null,
  served: 0,
  limitSaidAt: null,
  verified: 0,
  scan: noScan,
  outages: new Map(),
  ...more,
});

/** The provider refused once, without saying until when. */
export const madeHold = (more: Partial<Hold> = {}): Hold => ({
  cause: "provider",
  kind: "rate_limited",
  overBy: "answered",
  why: "no",
  remedy: "wait",
  since: T0,
  until: T0,
  refusals: 1,
  trial: null,
  under: null,
  ...more,
});

/** A daemon at work on one workflow, with these claims. */
export const madeState = (lane: Lane, claims: readonly Claim[] = [], more: Partial<State> = {}): State => ({
  ...initialState,
  phase: "serving",
  workflows: new Map([[W, lane]]),
  claims: Claims.of(claims),
  ...more,
});

/** The scheduler on a bench: time is set by hand, work piles up until taken, and every step is checked. */
export class Bench {
  state: State;
  now: Instant;
  readonly #facts: Fact[] = [];
  #work: Work[] = [];

  constructor(policy: Policy = madePolicy(), state: State = initialState) {
    this.state = state;
    this.now = T0;
    this.say({ type: "configured", policy });
    this.say({ type: "began" });
  }

  say(event: News): Decision {
    const decision = decide(this.state, { ...event, at: this.now });
    const broken = violations(this.state, decision);
    if (broken.length > 0) throw new Error(`${event.type}: ${broken.join("; ")}`);
    this.state = decision.state;
    this.#facts.push(...decision.facts);
    this.#work.push(...decision.work);
    return decision;
  }

  /** A person gives an order; `number`: the one after the last, unless it is heard again. */
  order(order: Order, number = this.state.orderDone + 1): Decision {
    return this.say({ type: "ordered", number, order });
  }

  /** Lets time pass and rings the alarm. */
  pass(ms: number): Decision {
    this.now = instant(this.now + ms);
    return this.say({ type: "woke" });
  }

  /** Takes the work of one type that piled up. */
  take<T extends Work["type"]>(type: T): readonly Extract<Work, { type: T }>[] {
    const taken = this.#work.filter((task): task is Extract<Work, { type: T }> => task.type === type);
    this.#work = this.#work.filter((task) => task.type !== type);
    return taken;
  }

  /** Facts of one type said so far. */
  facts(type: Fact["type"]): readonly Fact[] {
    return this.#facts.filter((fact) => fact.type === type);
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

export const OTHER = workflowName("other");

/** A daemon with two workflows that have so many slots. */
export function twoWorkflows(main: number, other: number): Bench {
  const bench = new Bench(madePolicy({ agentsMax: main }));
  bench.say({ type: "configured", policy: madePolicy({ workflow: OTHER, agentsMax: other }) });
  return bench;
}

/** A scan of one workflow; whatever is then asked for is answered with these issues. */
export function scanOf(bench: Bench, workflow: WorkflowName, ...issues: readonly Issue[]): void {
  bench.say({ type: "polled", workflow, candidates: issues.map(summaryOf), tookMs: 1 });
  bench.answer(...issues);
}
