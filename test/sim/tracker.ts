/** The tracker's answers: right, late, old, twice, or none. One per daemon; what it tells a dead one, nobody hears. */
import type { News } from "../../src/daemon/loop.ts";
import { failure } from "../../src/domain/failure.ts";
import type { IssueId } from "../../src/domain/issue.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import { after, instant, type Instant } from "../../src/domain/time.ts";
import { isTerminal } from "../../src/scheduler/eligible.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import { STALE_MAX_MS } from "./board.ts";
import type { Ground } from "./agents.ts";

/** A request that gets no answer is given up by then. */
const SILENCE_MS = 30_000;

/** Between two turns the daemon waits this long for a tracker that does not answer. */
const CHECK_PATIENCE_MS = 5 * 60_000;

/** A reset further away than a rate-limit window is not believed. */
const RESET_MAX_MS = 65 * 60_000;

type Of<T extends Work["type"]> = Extract<Work, { type: T }>;

export interface TrackerParts {
  readonly ground: Ground;
  readonly clock: () => Instant;
  /** The settings in force in the daemon. */
  readonly policyOf: (name: WorkflowName) => Policy;
  readonly say: (news: News) => void;
  /** True time at which the outage that is under way ends. */
  readonly outageUntil: () => Instant;
  /** Which of these issues have a workspace. */
  readonly hasWorkspace: (id: IssueId) => boolean;
}

export class SimTracker {
  readonly #parts: TrackerParts;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  poll({ workflow, running }: Of<"poll">): void {
    if (running.length === 0) return this.#scan(workflow);
    this.#ask(
      () => this.#refresh(workflow, running),
      ({ kind, error }) => this.#parts.say({ type: "refresh_failed", workflow, kind, error }),
      () => this.#scan(workflow),
    );
  }

  #refresh(workflow: WorkflowName, ids: readonly IssueId[]): void {
    const statuses = this.#byId(ids, this.#age());
    this.#say({ type: "refreshed", workflow, ids, statuses });
  }

  #scan(workflow: WorkflowName): void {
    const { ground, policyOf } = this.#parts;
    this.#ask(
      () => {
        const candidates = ground.board.candidates(policyOf(workflow), this.#age());
        this.#say({ type: "polled", workflow, candidates, tookMs: 1 });
      },
      ({ kind, error, retryAt }) => this.#parts.say({ type: "poll_failed", workflow, kind, error, retryAt }),
    );
  }

  revalidate({ workflow, ids }: Of<"revalidate">): void {
    this.#ask(
      () => this.#say({ type: "revalidated", workflow, ids, issues: this.#byId(ids, 0) }),
      ({ kind, error, retryAt }) =>
        this.#parts.say({ type: "revalidation_failed", workflow, kind, error, retryAt }),
    );
  }

  /** Repeated in place, like daemon/check.ts does it. */
  check({ runId, issueId }: Of<"check">): void {
    const { say, ground } = this.#parts;
    const ask = (waited: number): void =>
      this.#ask(
        () => this.#say({ type: "checked", runId, issueId, status: this.#byId([issueId], 0)[0] ?? null }),
        ({ error, retryAt }) => {
          const pause = Math.max(30_000, (retryAt ?? 0) - this.#parts.clock());
          if (waited + pause > CHECK_PATIENCE_MS)
            return say({ type: "check_failed", runId, issueId, failure: failure("tracker_error", error) });
          ground.timeline.in(pause, () => ask(waited + pause));
        },
      );
    ask(0);
  }

  sweep({ workflow }: Of<"sweep">): void {
    const { ground, policyOf, hasWorkspace } = this.#parts;
    this.#ask(
      () => {
        const issues = ground.board
          .issues(this.#age())
          .filter((issue) => isTerminal(issue, policyOf(workflow)) && hasWorkspace(issue.id));
        if (issues.length > 0) this.#say({ type: "leftovers_found", workflow, issues });
      },
      () => {},
    );
  }

  #byId = (ids: readonly IssueId[], agoMs: number) =>
    this.#parts.ground.board.issues(agoMs).filter((issue) => ids.includes(issue.id));

  #age(): number {
    const { random, faults } = this.#parts.ground;
    return random.chance(faults().stale) ? random.spread(1_000, STALE_MAX_MS) : 0;
  }

  /** Asks once: an answer, or a failure, and then what follows in any case. */
  #ask(answer: () => void, fail: (trouble: Trouble) => void, then: () => void = () => {}): void {
    const { random, faults, timeline } = this.#parts.ground;
    const { slow, twice } = faults();
    const ms = random.chance(slow) ? random.between(1_000, 60_000) : random.between(30, 600);
    const trouble = this.#trouble();
    const silent = trouble !== null && random.chance(0.3);
    timeline.in(silent ? SILENCE_MS : ms, () => {
      if (trouble !== null) fail(trouble());
      else answer();
      then();
    });
    // The same request went out twice, or its answer was held up on the way.
    if (trouble === null && random.chance(twice)) timeline.in(ms + random.spread(1, 20_000), answer);
  }

  #trouble(): (() => Trouble) | null {
    const { random, faults, timeline } = this.#parts.ground;
    const { trackerFails, trackerRefuses } = faults();
    if (timeline.true < this.#parts.outageUntil() || random.chance(trackerFails))
      return () => ({ kind: "linear_api_status", error: "HTTP 502", retryAt: null });
    return random.chance(trackerRefuses) ? () => this.#refusal() : null;
  }

  /** 429: the reset is told in seconds from now or by the tracker's own clock, or not at all, or it has passed. */
  #refusal(): Trouble {
    const { random, timeline } = this.#parts.ground;
    const now = this.#parts.clock();
    const inMs = random.spread(1_000, 30 * 60_000);
    const told = random.pick([after(now, inMs), after(timeline.true, inMs), after(now, -inMs), null]);
    const retryAt = told !== null && told - now <= RESET_MAX_MS ? instant(told) : null;
    return { kind: "linear_rate_limited", error: "HTTP 429", retryAt };
  }

  #say(news: News): void {
    this.#parts.say(news);
  }
}

interface Trouble {
  readonly kind: string;
  readonly error: string;
  readonly retryAt: Instant | null;
}
