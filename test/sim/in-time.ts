/**
 * What has to happen in time, and not more often than it should: a run that is no longer wanted goes (I7), one without
 * tokens ends (I8), a tracker in trouble is left alone and nothing goes round in circles (C5), nothing that is due is slept through and silence
 * is noticed (C8).
 */
import type { IssueId } from "../../src/domain/issue.ts";
import type { Instant } from "../../src/domain/time.ts";
import { duration } from "../../src/facts/words.ts";
import { unroutable } from "../../src/scheduler/eligible.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import { nextDeadline } from "../../src/scheduler/decide.ts";
import type { Event } from "../../src/scheduler/events.ts";
import { LEAVE_MS } from "../../src/scheduler/running.ts";
import { LEAVE_MAX_MS } from "./agents.ts";
import type { Checks, Step } from "./checks.ts";
import { isOrder } from "./words.ts";
import { COMMIT_MAX_MS } from "./faults.ts";

/**
 * Effects of one type within a virtual minute. A minute has two or three polls per workflow; a scan looks at no more
 * than ten of those refused, and a tracker takes 30 ms to answer. More than this is a loop that feeds itself.
 */
const PER_MINUTE: Readonly<Record<Work["type"], number>> = {
  poll: 16,
  revalidate: 100,
  sweep: 8,
  examine: 4,
  // A backlog (crowd.ts) may be done when a sweep comes.
  remove: 60,
  start: 40,
  turn: 60,
  check: 60,
  pulse: 40,
  steer: 20,
  stop: 40,
  exit: 4,
};

/** Felt at the longest interval that people set, once too early and once in time; then the agent has to leave. */
const SILENCE_MAX_MS = 2 * 600_000 + LEAVE_MAX_MS + 60_000;

/** A commit may take so long, and what fell due meanwhile is met after it. */
const LATE_MAX_MS = COMMIT_MAX_MS + 1_000;

export class InTime {
  readonly #checks: Checks;
  /** By workflow and kind of request: not to be made again before this. */
  readonly #notBefore = new Map<string, number>();
  /** The ledger takes nothing: steps are tried again and do not happen, and nobody can act in time. */
  #stuck = false;
  /** Since when everybody can act again. */
  #easedAt = 0;
  /** When something was last decided, by the daemon's clock. */
  #decidedAt: Instant | null = null;
  /** Running issues that the last answer by id left out. */
  readonly #missing = new Set<IssueId>();
  #minute = -1;
  #counts = new Map<Work["type"], number>();

  constructor(checks: Checks) {
    this.#checks = checks;
  }

  /** A new process begins: what was to happen in time was the last one's business. */
  begin(): void {
    this.#stuck = false;
    this.#decidedAt = null;
    this.#notBefore.clear();
    this.#missing.clear();
    for (const run of this.#checks.accounts.open.values()) run.unfitSince = null;
  }

  decided(step: Step): void {
    const { event } = step;
    this.#overslept(step);
    const isHeard = !isOutdated(step);
    if (isHeard && (event.type === "refreshed" || event.type === "checked")) this.#judge(event);
    if (isHeard && event.type === "polled") this.#listed(event);
    if (isHeard && event.type === "check_failed") this.#leaving(event.issueId);
    if (event.type === "pulse") this.#felt(event);
    if (isHeard) this.#pace(step);
    this.#lingering(step);
  }

  /** A step could not be written, and is tried until it can be. */
  stick(): void {
    this.#stuck = true;
  }

  /** A step was written: from now on there is time to do what could not be done. */
  ease(): void {
    if (!this.#stuck) return;
    this.#stuck = false;
    this.#easedAt = this.#checks.around.timeline.at;
    for (const run of this.#checks.accounts.open.values()) {
      if (run.unfitSince !== null) run.unfitSince = this.#easedAt;
      if (run.overSince !== null) run.overSince = this.#easedAt;
    }
  }

  /** Whether the tracker may be asked this already. */
  mayAsk({ type, workflow }: Extract<Work, { type: "poll" | "revalidate" }>, at: number): boolean {
    return at >= (this.#notBefore.get(`${type} ${workflow}`) ?? 0);
  }

  doing({ type }: Work): void {
    const minute = Math.floor(this.#checks.around.timeline.at / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
      this.#silences();
    }
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    if (count === PER_MINUTE[type] + 1) this.#checks.fail("C5", null, `"${type}" goes round in circles`);
  }

  /** I7: what the daemon was told of its running issues. */
  #judge(event: Extract<Event, { type: "refreshed" | "checked" }>): void {
    const ids = event.type === "refreshed" ? event.ids : [event.issueId];
    for (const id of ids) {
      const run = this.#checks.accounts.open.get(id);
      const policy = run === undefined ? undefined : this.#checks.around.policies.get(run.workflow);
      if (run === undefined || policy === undefined) continue;
      if (event.type === "refreshed" ? run.workflow !== event.workflow : run.id !== event.runId) continue;
      const status = event.type === "checked" ? event.status : event.statuses.find((one) => one.id === id);
      // Gone is what is missing twice in a row: an answer may be late.
      const isFirst = event.type === "refreshed" && status === undefined && !this.#missing.has(id);
      if (status === undefined) this.#missing.add(id);
      else this.#missing.delete(id);
      if (isFirst) continue;
      const unfit = status === undefined || status === null || unroutable(status, policy) !== null;
      if (!unfit) run.unfitSince = null;
      else if (event.type === "checked") run.unfitSince = this.#checks.around.timeline.at;
      else run.unfitSince ??= this.#checks.around.timeline.at;
    }
  }

  /**
   * I7: a running issue that a scan lists is its run's business again, and was not missing twice in a row; the scan has
   * asked for the labels.
   */
  #listed({ workflow, candidates }: Extract<Event, { type: "polled" }>): void {
    const policy = this.#checks.around.policies.get(workflow);
    for (const issue of candidates) {
      this.#missing.delete(issue.id);
      const run = this.#checks.accounts.open.get(issue.id);
      if (run === undefined || policy === undefined || run.workflow !== workflow) continue;
      const status = { ...issue, labels: policy.requiredLabels };
      if (unroutable(status, policy) === null) run.unfitSince = null;
      else run.unfitSince ??= this.#checks.around.timeline.at;
    }
  }

  #leaving(id: IssueId): void {
    const run = this.#checks.accounts.open.get(id);
    if (run !== undefined && run.unfitSince !== null) run.unfitSince = this.#checks.around.timeline.at;
  }

  /** I7: a run whose issue is not its business any more is gone in time. While its issue is looked at, it does nothing. */
  #lingering({ before }: Step): void {
    if (this.#stuck) return;
    const now = this.#checks.around.timeline.at;
    const latest = now - LEAVE_MS - LEAVE_MAX_MS - 2_000;
    for (const run of this.#checks.accounts.open.values()) {
      if (run.overSince !== null && run.overSince < now - LEAVE_MAX_MS - 2_000) {
        this.#checks.fail("I8", run.issueId, `${run.id} goes on although its issue's tokens are used up`);
        run.overSince = null;
      }
      if (run.unfitSince === null || run.unfitSince > latest) continue;
      const claim = before.claims.get(run.issueId);
      if (claim?.phase === "running" && claim.step === "checking") continue;
      this.#checks.fail(
        "I7",
        run.issueId,
        `${run.id} goes on although its issue is not its business any more`,
      );
      run.unfitSince = null;
    }
  }

  /** A tracker in trouble is left alone for as long as it said, and for a moment in any case. */
  #pace({ event, before }: Step): void {
    if (event.type === "poll_failed" || event.type === "revalidation_failed") {
      const what = event.type === "poll_failed" ? "poll" : "revalidate";
      this.#notBefore.set(`${what} ${event.workflow}`, Math.max(event.at + 1_000, event.retryAt ?? 0));
    }
    // People may ask for a scan: by saving the workflow, and by a release.
    if (event.type === "configured") {
      const { workflow, scope } = event.policy;
      this.#notBefore.delete(`poll ${workflow}`);
      // By another key, or elsewhere, everything may be asked anew.
      if (before.workflows.get(workflow)?.policy.scope !== scope)
        this.#notBefore.delete(`revalidate ${workflow}`);
    }
    if (isOrder(event, "release") || isOrder(event, "release_all"))
      for (const name of this.#checks.around.policies.keys()) this.#notBefore.delete(`poll ${name}`);
  }

  /** C8: all that was to come when something was last decided is met when it comes. */
  #overslept({ before, event: { at } }: Step): void {
    const due = this.#decidedAt === null ? null : nextDeadline(before, this.#decidedAt);
    this.#decidedAt = at;
    if (due !== null && !this.#stuck && at - due > LATE_MAX_MS)
      this.#checks.fail("C8", null, `what was due is met ${duration(at - due)} late`);
  }

  /** Where silence does not count any more, nobody has to notice it. */
  #felt({ issueId, runId }: Extract<Event, { type: "pulse" }>): void {
    const run = this.#checks.accounts.open.get(issueId);
    if (run?.id === runId && this.#checks.around.policies.get(run.workflow)?.silenceMaxMs === 0)
      run.watched = false;
  }

  /** A turn in which nothing is heard and nothing is open is noticed. */
  #silences(): void {
    if (this.#checks.around.timeline.at - this.#easedAt < SILENCE_MAX_MS) return;
    for (const agent of this.#checks.around.agents) {
      const run = this.#checks.accounts.runs.get(agent.run.id);
      if (run?.watched !== true || run.ended || agent.silentMs < SILENCE_MAX_MS) continue;
      this.#checks.fail(
        "C8",
        run.issueId,
        `${run.id} has been silent for ${duration(agent.silentMs)}, and nobody minds`,
      );
    }
  }
}

/** Asked before a reload that changed what is meant. */
function isOutdated({ before, event }: Step): boolean {
  if (!("scope" in event)) return false;
  const claim = "issueId" in event ? before.claims.get(event.issueId) : undefined;
  const workflow = "workflow" in event ? event.workflow : claim?.workflow;
  return workflow !== undefined && before.workflows.get(workflow)?.policy.scope !== event.scope;
}
