/**
 * Copies of `decide` that are broken on purpose, each in one way in which a scheduler can be wrong. The simulation has to
 * notice every one of them: a check that cannot fail proves nothing.
 */
import { type FailureKind, failureScope } from "../../src/domain/failure.ts";
import type { IssueStatus } from "../../src/domain/issue.ts";
import { after as later } from "../../src/domain/time.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import type { Lane, Claim } from "../../src/scheduler/state.ts";
import { nothing, tallyOf, withState } from "../../src/scheduler/change.ts";
import { PAST_BUGS } from "./past-bugs.ts";
import {
  changeClaim,
  changeTallies,
  dropClaims,
  dropRecords,
  followedBy,
  forgetMarks,
  onRecords,
  underLimits,
  underOther,
  waitUntil,
  withLanes,
  withoutRecords,
  type Decide,
} from "./plant.ts";
import { isOrder } from "./words.ts";

/** Of the claims of a workflow, those that its scan does not list. */
const leftOut =
  ({ workflow, candidates }: Extract<Event, { type: "polled" }>) =>
  (claim: Claim): boolean =>
    claim.workflow === workflow && !candidates.some(({ id }) => id === claim.issue.id);

/** These failures are taken for the ticket's own; each by another kind, since three alike in a row would be nobody's. */
const blamed =
  (which: (kind: FailureKind) => boolean): ((real: Decide) => Decide) =>
  (real) =>
  (state, event) => {
    if (event.type !== "turn_ended" && event.type !== "exited") return real(state, event);
    if (event.failure === null || !which(event.failure.kind)) return real(state, event);
    const kinds = ["turn_cancelled", "turn_failed", "content_refused"] as const;
    const kind = kinds[Number(event.runId.slice(1)) % kinds.length] ?? "turn_failed";
    return real(state, { ...event, failure: { ...event.failure, kind } });
  };

/** As if it were where it should be. */
const brought = <I extends IssueStatus>(issue: I): I =>
  issue.whyNot?.includes("project") === true ? { ...issue, dispatchable: true } : issue;

/** As if it were on the board. */
function restored<I extends IssueStatus>(issue: I): I {
  const { whyNot: _whyNot, putAway, ...other } = issue;
  return putAway === true ? ({ ...other, dispatchable: true } as I) : issue;
}

/** As if it were not there for now, and might be again. */
function kept<I extends IssueStatus>(issue: I): I {
  const { putAway: _putAway, ...other } = issue;
  return other as I;
}

const MADE_UP = {
  "an issue gets a second agent": (real) => (state, event) => {
    const decision = real(state, event);
    const again = decision.work.filter(({ type }) => type === "start");
    return { ...decision, work: [...decision.work, ...again] };
  },
  "one run more than there are slots": underOther((policy) => ({ agentsMax: policy.agentsMax + 1 })),
  "caps by state are ignored": underOther(() => ({ agentsMaxByState: new Map() })),
  "a run starts that is not recorded": withoutRecords(({ type }) => type === "run_started"),
  "a claim that waits is not recorded": withoutRecords(
    (record) => record.type === "claim" && record.claim.phase === "waiting",
  ),
  "counters are not recorded at the end of a run": withoutRecords(
    (record, event) => record.type === "tally" && event.type === "exited",
  ),
  "a pause is not recorded": withoutRecords(({ type }) => type === "pause"),
  "an order is not marked as done": withoutRecords(({ type }) => type === "order_done"),
  "usage is not recorded": withoutRecords(({ type }) => type === "usage"),
  "an ending is recorded twice": (real) => (state, event) => {
    const decision = real(state, event);
    const again = decision.records.filter(({ type }) => type === "run_ended");
    return { ...decision, records: [...decision.records, ...again] };
  },
  "the late end of an old run ends its successor": (real) => (state, event) => {
    const claim = event.type === "exited" ? state.claims.get(event.issueId) : undefined;
    if (event.type !== "exited" || claim?.phase !== "running") return real(state, event);
    return real(state, { ...event, runId: claim.run.id });
  },
  "the end of a run is not heard": (real) => (state, event) =>
    event.type === "exited" && event.failure?.kind === "port_exit" ? nothing(state) : real(state, event),
  "totals are added up": (real) => (state, event) =>
    event.type === "usage" ? real(changeClaim(state, event.issueId, forgetMarks), event) : real(state, event),
  "a finished issue's run goes on": (real) => (state, event) =>
    event.type === "refreshed" ? real(state, { ...event, ids: [] }) : real(state, event),
  "a run that has to leave is not stopped": (real) => (state, event) => {
    const decision = real(state, event);
    const heard = decision.work.filter(
      (one) => one.type !== "stop" || one.why?.kind !== "no_longer_eligible",
    );
    return { ...decision, work: heard };
  },
  "a pause stops nothing": (real) => (state, event) => {
    const decision = real(
      isOrder(event, "pause") || isOrder(event, "resume") ? state : { ...state, pauses: new Map() },
      event,
    );
    return decision.state.pauses.size === 0 && !isOrder(event, "resume")
      ? withState(decision, { pauses: state.pauses })
      : decision;
  },
  "a hold stops nothing": (real) => (state, event) => {
    const held = (lane: Lane) => state.workflows.get(lane.policy.workflow)?.hold ?? null;
    const decision = real(
      withLanes(state, (lane) => ({ ...lane, hold: null })),
      event,
    );
    const after = withLanes(decision.state, (lane) => ({ ...lane, hold: lane.hold ?? held(lane) }));
    return { ...decision, state: after };
  },
  "a refusal by the provider holds nothing": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "exited") return decision;
    const held = (lane: Lane) => state.workflows.get(lane.policy.workflow)?.hold ?? null;
    return {
      ...dropRecords(decision, ({ type }) => type === "hold"),
      state: withLanes(decision.state, (lane) => ({ ...lane, hold: held(lane) })),
    };
  },
  "a refusal by the provider counts as a run": (real) => (state, event) => {
    const refused =
      event.type === "exited" && event.failure !== null && failureScope(event.failure.kind) === "provider";
    return refused
      ? changeTallies(real(state, event), (tally) => ({ ...tally, runs: tally.runs + 1 }))
      : real(state, event);
  },
  "an outage of the provider is the fault of its tickets": blamed((kind) => kind.startsWith("provider_")),
  "a root that cannot be written is the fault of its tickets": blamed((kind) => kind === "root_unusable"),
  "the prompt of one ticket holds its whole workflow": (real) => (state, event) => {
    if (event.type !== "exited" || event.failure?.kind.startsWith("template_") !== true)
      return real(state, event);
    return real(state, { ...event, failure: { ...event.failure, kind: "root_unusable" } });
  },
  "a missing slot counts as an attempt": (real) => (state, event) => {
    const decision = real(state, event);
    const missed = (record: LedgerRecord): LedgerRecord =>
      record.type === "claim" && record.claim.phase === "waiting"
        ? { ...record, claim: { ...record.claim, attempt: record.claim.attempt + 1 } }
        : record;
    return event.type === "revalidated" ? onRecords(decision, missed) : decision;
  },
  "a reload lifts parks": (real) => (state, event) => {
    const decision = real(state, event);
    return event.type === "configured" ? dropClaims(decision, "parked", () => true) : decision;
  },
  "a park ends when a scan does not list it": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "polled") return decision;
    return dropClaims(decision, "parked", leftOut(event));
  },
  "a wait ends when a scan does not list the issue": (real) => (state, event) => {
    const decision = real(state, event);
    return event.type === "polled" ? dropClaims(decision, "waiting", leftOut(event)) : decision;
  },
  "a release lifts nothing": (real) => (state, event) => {
    const decision = real(state, event);
    if (!isOrder(event, "release")) return decision;
    return withState(
      dropRecords(decision, ({ type }) => type === "unclaim"),
      { claims: state.claims },
    );
  },
  "a retry comes at once": (real) => (state, event) => waitUntil(real(state, event), event, event.at),
  "a retry never comes": (real) => (state, event) =>
    waitUntil(real(state, event), event, later(event.at, 1_000 * 86_400_000)),
  "one run too many": underLimits((limits) => ({ maxRunsPerIssue: limits.maxRunsPerIssue + 1 })),
  "one failure too many": underLimits((limits) => ({ maxFailures: limits.maxFailures + 1 })),
  "one turn too many": underOther((policy) => ({ turnsMax: policy.turnsMax + 1 })),
  "an issue's tokens have no limit": underLimits(() => ({ maxTokensPerIssue: Number.MAX_SAFE_INTEGER })),
  "the day has no limit": underLimits(() => ({ maxTokensPerDay: null })),
  "silence is never noticed": underOther(() => ({ silenceMaxMs: 0 })),
  "a thread is not resumed": (real) => (state, event) => {
    const decision = real(state, event);
    const forgetful = decision.work.map((one) => (one.type === "start" ? { ...one, resume: null } : one));
    return { ...decision, work: forgetful };
  },
  "a thread that can never go on is never given up": (real) => (state, event) => {
    const decision = real(state, event);
    const claim = event.type === "exited" ? state.claims.get(event.issueId) : undefined;
    if (claim?.phase !== "running" || decision.work.some(({ type }) => type === "remove")) return decision;
    const before = tallyOf(state, claim.issue.id);
    const { thread, threadTotal } = claim.turns > 0 ? claim : before;
    return changeTallies(decision, (tally) =>
      tally.thread === null ? { ...tally, thread, threadTotal } : tally,
    );
  },
  "a ticket of another project starts": (real) => (state, event) =>
    event.type === "revalidated"
      ? real(state, { ...event, issues: event.issues.map((issue) => brought(issue)) })
      : real(state, event),
  "a ticket that was moved to another project has another turn": (real) => (state, event) =>
    event.type === "checked" && event.status !== null
      ? real(state, { ...event, status: brought(event.status) })
      : real(state, event),
  "an answer about another project counts": (real) => (state, event) => {
    if (!("scope" in event)) return real(state, event);
    const { scope: _scope, ...unscoped } = event;
    return real(state, unscoped);
  },
  "the queue of another project is kept": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "configured") return decision;
    const queueOf = (lane: Lane) => state.workflows.get(lane.policy.workflow)?.queue ?? [];
    return {
      ...decision,
      state: withLanes(decision.state, (lane) =>
        lane.policy.workflow === event.policy.workflow ? { ...lane, queue: queueOf(lane) } : lane,
      ),
    };
  },
  "what is in the trash keeps its workspace": (real) => (state, event) => {
    if (event.type === "revalidated") return real(state, { ...event, issues: event.issues.map(kept) });
    if (event.type === "refreshed") return real(state, { ...event, statuses: event.statuses.map(kept) });
    if (event.type === "checked" && event.status !== null)
      return real(state, { ...event, status: kept(event.status) });
    if (event.type !== "leftovers_found") return real(state, event);
    return real(state, { ...event, issues: event.issues.filter((one) => !("putAway" in one)) });
  },
  "what is parked in the trash is looked up for ever": (real) => (state, event) =>
    event.type === "revalidated"
      ? real(state, {
          ...event,
          issues: event.issues.map((issue) =>
            state.claims.get(issue.id)?.phase === "parked" ? restored(issue) : issue,
          ),
        })
      : real(state, event),
  "a blocked issue starts": (real) => (state, event) =>
    event.type === "revalidated"
      ? real(state, { ...event, issues: event.issues.map((issue) => ({ ...issue, blockedBy: [] })) })
      : real(state, event),
  "a failed scan is the last one": (real) => (state, event) =>
    event.type === "poll_failed" ? nothing(state) : real(state, event),
  "a failed look is the last one": (real) => (state, event) =>
    event.type === "revalidation_failed" ? nothing(state) : real(state, event),
  "a failed look is repeated at once": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "revalidation_failed") return decision;
    const due = withLanes(decision.state, (lane) => ({ ...lane, revalidateAt: event.at }));
    return followedBy(decision, real(due, { type: "woke", at: event.at }));
  },
  "a broken file stops nothing": (real) => (state, event) =>
    event.type === "misconfigured" ? nothing(state) : real(state, event),
  "a full disk of workspaces stops nothing": (real) => (state, event) =>
    event.type === "disk_checked" ? nothing(state) : real(state, event),
  "a request to stop is not heard": (real) => (state, event) =>
    event.type === "stop_requested" && !event.force ? nothing(state) : real(state, event),
  "a run that a pause or a drain cuts short counts": (real) => (state, event) => {
    if (event.type !== "exited") return real(state, event);
    const counted = changeClaim(state, event.issueId, (claim) => {
      if (claim.phase !== "running" || claim.ending?.gate === undefined) return claim;
      const { gate: _gate, ...ending } = claim.ending;
      return { ...claim, ending };
    });
    return real(counted, event);
  },
  "a drain takes new work": (real) => (state, event) => {
    const decision = real(state, event);
    return isOrder(event, "drain") ? withState(decision, { phase: state.phase }) : decision;
  },
  "each workflow looks only at its own tickets": (real) => (state, event) => {
    if (event.type !== "polled" && event.type !== "revalidated") return real(state, event);
    const isOther = (lane: Lane): boolean => lane.policy.workflow !== event.workflow;
    const alone = withLanes(state, (lane) => (isOther(lane) ? { ...lane, queue: [] } : lane));
    const decision = real(alone, event);
    const queueOf = (lane: Lane) => state.workflows.get(lane.policy.workflow)?.queue ?? [];
    return withState(decision, {
      workflows: withLanes(decision.state, (lane) =>
        isOther(lane) ? { ...lane, queue: queueOf(lane) } : lane,
      ).workflows,
    });
  },
  "priority and age are not looked at": (real) => (state, event) => {
    if (event.type !== "polled") return real(state, event);
    const candidates = event.candidates.map((issue) => ({ ...issue, priority: null, createdAt: null }));
    return real(state, { ...event, candidates });
  },
  "what was refused is never looked at again": (real) => (state, event) => {
    const decision = real(state, event);
    const kept = withLanes(decision.state, (lane) => ({
      ...lane,
      queue: lane.queue.map((one) => (one.refusedAt === null ? one : { ...one, look: "later" as const })),
    }));
    return { ...decision, state: kept };
  },
  "a workspace goes under its agent": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "leftovers_found") return decision;
    const { workflow } = event;
    const removals = event.issues.map(({ id, identifier }) => ({
      type: "remove" as const,
      workflow,
      issueId: id,
      identifier,
    }));
    return { ...decision, work: [...decision.work, ...removals] };
  },
} satisfies Readonly<Record<string, (real: Decide) => Decide>>;

/** By what is wrong: bugs that somebody thought of, and those that were there. */
export const BUGS = { ...MADE_UP, ...PAST_BUGS };

export type BugName = keyof typeof BUGS;
