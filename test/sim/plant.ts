/** Ways to break a scheduler without touching it: what goes into `decide` is changed, or what comes out of it. */
import type { IssueId } from "../../src/domain/issue.ts";
import { noTokens } from "../../src/domain/run.ts";
import type { LimitSettings } from "../../src/domain/settings.ts";
import { drop, withState } from "../../src/scheduler/change.ts";
import type { decide } from "../../src/scheduler/decide.ts";
import type { Decision, LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import type { Lane, Claim, Policy, State } from "../../src/scheduler/state.ts";
import type { Tally } from "../../src/scheduler/tally.ts";

export type Decide = typeof decide;

/** Decides as if the settings were others; what is left behind are the real ones. */
export function underOther(change: (policy: Policy) => Partial<Policy>): (real: Decide) => Decide {
  const exchanged = (state: State, policies: (lane: Lane) => Policy): State => ({
    ...state,
    workflows: new Map(
      [...state.workflows].map(([name, lane]) => [name, { ...lane, policy: policies(lane) }]),
    ),
  });
  return (real) => (state, event) => {
    const policy = (of: Policy): Policy => ({ ...of, ...change(of) });
    const others = exchanged(state, (lane) => policy(lane.policy));
    const said = event.type === "configured" ? { ...event, policy: policy(event.policy) } : event;
    const decision = real(others, said);
    const originals = new Map([...state.workflows].map(([name, lane]) => [name, lane.policy]));
    if (event.type === "configured") originals.set(event.policy.workflow, event.policy);
    const own = (lane: Lane): Policy => originals.get(lane.policy.workflow) ?? lane.policy;
    return { ...decision, state: exchanged(decision.state, own) };
  };
}

/** Decides as if these limits were others. */
export const underLimits = (
  change: (limits: LimitSettings) => Partial<LimitSettings>,
): ((real: Decide) => Decide) => underOther(({ limits }) => ({ limits: { ...limits, ...change(limits) } }));

export function withoutRecords(
  lost: (record: LedgerRecord, event: Event) => boolean,
): (real: Decide) => Decide {
  return (real) => (state, event) => dropRecords(real(state, event), (record) => lost(record, event));
}

export function changeClaim(state: State, id: IssueId, change: (claim: Claim) => Claim): State {
  const claim = state.claims.get(id);
  return claim === undefined ? state : { ...state, claims: state.claims.with(change(claim)) };
}

export const forgetMarks = (claim: Claim): Claim =>
  claim.phase === "running" ? { ...claim, threadTotal: noTokens, children: [] } : claim;

export const onRecords = (decision: Decision, change: (record: LedgerRecord) => LedgerRecord): Decision => ({
  ...decision,
  records: decision.records.map(change),
});

/** Without these records. */
export const dropRecords = (decision: Decision, gone: (record: LedgerRecord) => boolean): Decision => ({
  ...decision,
  records: decision.records.filter((record) => !gone(record)),
});

/** Two steps as if they were one. */
export const followedBy = (first: Decision, second: Decision): Decision => ({
  state: second.state,
  records: [...first.records, ...second.records],
  facts: [...first.facts, ...second.facts],
  work: [...first.work, ...second.work],
});

export function changeTallies(decision: Decision, change: (tally: Tally) => Tally): Decision {
  let { tallies } = decision.state;
  const changed = onRecords(decision, (record) => {
    if (record.type !== "tally") return record;
    const tally = change(record.tally);
    tallies = tallies.with(record.issueId, tally);
    return { ...record, tally };
  });
  return withState(changed, { tallies });
}

export function dropClaims(
  decision: Decision,
  phase: Claim["phase"],
  which: (claim: Claim) => boolean,
): Decision {
  return [...decision.state.claims.values()]
    .filter((claim) => claim.phase === phase && which(claim))
    .reduce((sofar, { issue }) => drop(sofar, issue.id), decision);
}

/** Issues that wait after a failure wait until then. */
export function waitUntil(decision: Decision, event: Event, retryAt: Event["at"]): Decision {
  if (event.type !== "exited") return decision;
  const claim = decision.state.claims.get(event.issueId);
  if (claim?.phase !== "waiting" || claim.kind !== "retry") return decision;
  const waiting = { ...claim, retryAt };
  const told = onRecords(decision, (record) =>
    record.type === "claim" ? { ...record, claim: waiting } : record,
  );
  return { ...told, state: changeClaim(decision.state, event.issueId, () => waiting) };
}

export const withLanes = (state: State, change: (lane: Lane) => Lane): State => ({
  ...state,
  workflows: new Map([...state.workflows].map(([name, lane]) => [name, change(lane)])),
});
