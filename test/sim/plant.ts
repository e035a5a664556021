/** Ways to break a scheduler without touching it: what goes into `decide` is changed, or what comes out of it. */
import type { IssueId } from "../../src/domain/issue.ts";
import { noTokens } from "../../src/domain/run.ts";
import type { decide } from "../../src/scheduler/decide.ts";
import type { Decision, Effect, LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import type { Board, Claim, Policy, State, Tally } from "../../src/scheduler/state.ts";

export type Decide = typeof decide;

/** Decides as if the settings were others; what is left behind are the real ones. */
export function underOther(change: (policy: Policy) => Partial<Policy>): (real: Decide) => Decide {
  const exchanged = (state: State, policies: (board: Board) => Policy): State => ({
    ...state,
    workflows: new Map(
      [...state.workflows].map(([name, board]) => [name, { ...board, policy: policies(board) }]),
    ),
  });
  return (real) => (state, event) => {
    const policy = (of: Policy): Policy => ({ ...of, ...change(of) });
    const others = exchanged(state, (board) => policy(board.policy));
    const said = event.type === "configured" ? { ...event, policy: policy(event.policy) } : event;
    const [next, effects] = real(others, said);
    const originals = new Map([...state.workflows].map(([name, board]) => [name, board.policy]));
    if (event.type === "configured") originals.set(event.policy.workflow, event.policy);
    return [exchanged(next, (board) => originals.get(board.policy.workflow) ?? board.policy), effects];
  };
}

export function withoutRecords(
  lost: (record: LedgerRecord, event: Event) => boolean,
): (real: Decide) => Decide {
  return (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return [next, effects.filter((effect) => effect.type !== "record" || !lost(effect.record, event))];
  };
}

export function changeClaim(state: State, id: IssueId, change: (claim: Claim) => Claim): State {
  const claim = state.claims.get(id);
  return claim === undefined ? state : { ...state, claims: new Map(state.claims).set(id, change(claim)) };
}

export const forgetMarks = (claim: Claim): Claim =>
  claim.phase === "running" ? { ...claim, threadTotal: noTokens } : claim;

export const onRecords = (
  effects: readonly Effect[],
  change: (record: LedgerRecord) => LedgerRecord,
): readonly Effect[] =>
  effects.map((effect) => (effect.type === "record" ? { ...effect, record: change(effect.record) } : effect));

export function changeTallies([state, effects]: Decision, change: (tally: Tally) => Tally): Decision {
  const tallies = new Map(state.tallies);
  const changed = onRecords(effects, (record) => {
    if (record.type !== "tally") return record;
    const tally = change(record.tally);
    tallies.set(record.issueId, tally);
    return { ...record, tally };
  });
  return [{ ...state, tallies }, changed];
}

export function dropClaims(
  [state, effects]: Decision,
  phase: Claim["phase"],
  which: (claim: Claim) => boolean,
): Decision {
  const gone = [...state.claims.values()].filter((claim) => claim.phase === phase && which(claim));
  const claims = new Map([...state.claims].filter(([, claim]) => !gone.includes(claim)));
  const records = gone.map(
    ({ issue }) => ({ type: "record", record: { type: "unclaim", issueId: issue.id } }) as const,
  );
  return [{ ...state, claims }, [...effects, ...records]];
}

/** Issues that wait after a failure wait until then. */
export function waitUntil([state, effects]: Decision, event: Event, retryAt: Event["at"]): Decision {
  if (event.type !== "exited") return [state, effects];
  const claim = state.claims.get(event.issueId);
  if (claim?.phase !== "waiting" || claim.kind !== "retry") return [state, effects];
  const waiting = { ...claim, retryAt };
  return [
    { ...state, claims: new Map(state.claims).set(event.issueId, waiting) },
    onRecords(effects, (record) => (record.type === "claim" ? { ...record, claim: waiting } : record)),
  ];
}

export const withBoards = (state: State, change: (board: Board) => Board): State => ({
  ...state,
  workflows: new Map([...state.workflows].map(([name, board]) => [name, change(board)])),
});

/** Without records of one type, but for those that are to stay. */
export const dropRecords = (
  effects: readonly Effect[],
  gone: (record: LedgerRecord) => boolean,
): readonly Effect[] => effects.filter((effect) => effect.type !== "record" || !gone(effect.record));
