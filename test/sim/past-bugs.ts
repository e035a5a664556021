/**
 * Bugs that the simulation has found: the scheduler as it was, put back in place of what was mended. Each has a test of
 * its rule in test/unit/scheduler/.
 */
import { failureScope } from "../../src/domain/failure.ts";
import type { Board, Claim, State } from "../../src/scheduler/state.ts";
import { changeClaim, dropRecords, withBoards, type Decide } from "./plant.ts";

export const PAST_BUGS = {
  "after the clock was set back waits last for days": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "configured" || state.workflows.has(event.policy.workflow)) return [next, effects];
    const held = state.holds.get(event.policy.workflow) ?? null;
    const unbound = withBoards({ ...next, claims: state.claims }, (board) =>
      board.policy.workflow === event.policy.workflow ? { ...board, hold: held } : board,
    );
    return [unbound, dropRecords(effects, () => true)];
  },
  "a drain before the first poll is forgotten": (real) => (state, event) => {
    if (event.type !== "drain_ordered" || state.phase !== "starting") return real(state, event);
    const [{ orderDone }, effects] = real(state, event);
    return [{ ...state, orderDone }, effects.filter((effect) => effect.type === "record")];
  },
  "issues held back wait on when the provider works again": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "turn_ended") return [next, effects];
    const isHeldBack = (claim: Claim | undefined): boolean =>
      claim?.phase === "waiting" && claim.failure !== null && failureScope(claim.failure.kind) === "provider";
    const claims = new Map(
      [...next.claims].map(([id, claim]) => {
        const before = state.claims.get(id);
        return [id, before !== undefined && isHeldBack(before) ? before : claim];
      }),
    );
    return [
      { ...next, claims },
      dropRecords(effects, (record) => record.type === "claim" && isHeldBack(record.claim)),
    ];
  },
  "parked issues are looked at in a circle": (real) => (state, event) => {
    if (event.type !== "polled") return real(state, event);
    const asked = (of: State): State => withBoards(of, (board) => ({ ...board, checkAt: event.at }));
    const [next, effects] = real(asked(state), event);
    const checkAt = state.workflows.get(event.workflow)?.checkAt ?? event.at;
    return [withBoards(next, (board) => ({ ...board, checkAt })), effects];
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
    const [next, effects] = real(turns(state, 1), event);
    return [turns(next, 0), effects];
  },
  "a later refusal takes the place of what the provider told": (real) => (state, event) => {
    if (event.type !== "exited") return real(state, event);
    const workflow = state.claims.get(event.issueId)?.workflow;
    return real(
      withBoards(state, (board) => (board.policy.workflow === workflow ? { ...board, hold: null } : board)),
      event,
    );
  },
  "a refusal is forgotten with an issue that is done": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "exited" || next.claims.get(event.issueId)?.phase === "waiting")
      return [next, effects];
    const held = (board: Board): Board["hold"] => {
      const before = state.workflows.get(board.policy.workflow)?.hold ?? null;
      return before?.probe === event.runId ? { ...before, probe: null } : before;
    };
    return [
      withBoards(next, (board) => ({ ...board, hold: held(board) })),
      dropRecords(effects, ({ type }) => type === "hold"),
    ];
  },
} satisfies Readonly<Record<string, (real: Decide) => Decide>>;
