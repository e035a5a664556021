/**
 * Bugs that the simulation has found: the scheduler as it was, put back in place of what was mended. Each has a test of
 * its rule in test/unit/scheduler/.
 */
import { failureScope } from "../../src/domain/failure.ts";
import { Claims } from "../../src/scheduler/claims.ts";
import { nothing, withState } from "../../src/scheduler/change.ts";
import { noTokens } from "../../src/domain/run.ts";
import type { Lane, Claim, State } from "../../src/scheduler/state.ts";
import { changeClaim, dropRecords, underOther, withLanes, type Decide } from "./plant.ts";
import { DAY_MS } from "./timeline.ts";

export const PAST_BUGS = {
  "agents of the model's own are not counted": (real) => (state, event) => {
    const claim = event.type === "usage" ? state.claims.get(event.issueId) : undefined;
    const isOwn = claim?.phase === "running" && event.type === "usage" && claim.thread === event.threadId;
    return event.type === "usage" && !isOwn ? nothing(state) : real(state, event);
  },
  "what an agent of the model's own used before is counted again": (real) => (state, event) =>
    real(state, event.type === "usage" ? { ...event, known: noTokens } : event),
  "a turn that never begins is never noticed": (real) => (state, event) => {
    const decision = real(state, event);
    const asked = decision.work.flatMap((one) => (one.type === "turn" ? [one.issue.id] : []));
    const deaf = asked.reduce(
      (next, id) =>
        changeClaim(next, id, (claim) => (claim.phase === "running" ? { ...claim, pulseAt: null } : claim)),
      decision.state,
    );
    return withState(decision, deaf);
  },
  "a call without an answer is never noticed": underOther(() => ({ callSilenceMaxMs: 1_000 * DAY_MS })),
  "after the clock was set back waits last for days": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "configured" || state.workflows.has(event.policy.workflow)) return decision;
    const held = state.holds.get(event.policy.workflow) ?? null;
    const unbound = withLanes({ ...decision.state, claims: state.claims }, (lane) =>
      lane.policy.workflow === event.policy.workflow ? { ...lane, hold: held } : lane,
    );
    return { ...decision, state: unbound, records: [] };
  },
  "a drain for a daemon that is gone ends the next one": (real) => (state, event) =>
    real(state, event.type === "ordered" ? { ...event, isFromBefore: false } : event),
  "issues held back wait on when the provider works again": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "turn_ended") return decision;
    const isHeldBack = (claim: Claim | undefined): boolean =>
      claim?.phase === "waiting" && claim.held === true;
    const claims = Claims.of(
      [...decision.state.claims.values()].map((claim) => {
        const before = state.claims.get(claim.issue.id);
        return before !== undefined && isHeldBack(before) ? before : claim;
      }),
    );
    return withState(
      dropRecords(decision, (record) => record.type === "claim" && isHeldBack(record.claim)),
      { claims },
    );
  },
  "parked issues are looked at in a circle": (real) => (state, event) => {
    if (event.type !== "polled") return real(state, event);
    const asked = (of: State): State => withLanes(of, (lane) => ({ ...lane, revalidateAt: event.at }));
    const decision = real(asked(state), event);
    const revalidateAt = state.workflows.get(event.workflow)?.revalidateAt ?? event.at;
    return { ...decision, state: withLanes(decision.state, (lane) => ({ ...lane, revalidateAt })) };
  },
  "an answer to an older question starts an issue before its time": (real) => (state, event) => {
    if (event.type !== "revalidated") return real(state, event);
    const due = event.ids.reduce(
      (next, id) =>
        changeClaim(next, id, (claim) =>
          claim.phase === "waiting" ? { ...claim, retryAt: event.at } : claim,
        ),
      state,
    );
    return real(due, event);
  },
  "what a thread repeats before the first turn is counted": (real) => (state, event) => {
    const claim = event.type === "usage" ? state.claims.get(event.issueId) : undefined;
    if (event.type !== "usage" || claim?.phase !== "running" || claim.turns > 0) return real(state, event);
    const turns = (of: State, count: number): State =>
      changeClaim(of, event.issueId, (one) => (one.phase === "running" ? { ...one, turns: count } : one));
    const decision = real(turns(state, 1), event);
    return { ...decision, state: turns(decision.state, 0) };
  },
  "a later refusal takes the place of what the provider told": (real) => (state, event) => {
    const claim = event.type === "exited" ? state.claims.get(event.issueId) : undefined;
    if (event.type !== "exited" || claim?.phase !== "running") return real(state, event);
    const why = claim.ending?.failure ?? event.failure;
    if (why === null || failureScope(why.kind) !== "provider") return real(state, event);
    const { workflow } = claim;
    return real(
      withLanes(state, (lane) => (lane.policy.workflow === workflow ? { ...lane, hold: null } : lane)),
      event,
    );
  },
  "a refusal is forgotten with an issue that is done": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "exited" || decision.state.claims.get(event.issueId)?.phase === "waiting")
      return decision;
    const held = (lane: Lane): Lane["hold"] => {
      const before = state.workflows.get(lane.policy.workflow)?.hold ?? null;
      return before?.trial === event.runId ? { ...before, trial: null } : before;
    };
    return {
      ...dropRecords(decision, ({ type }) => type === "hold"),
      state: withLanes(decision.state, (lane) => ({ ...lane, hold: held(lane) })),
    };
  },
} satisfies Readonly<Record<string, (real: Decide) => Decide>>;
