/** What people order: pause, resume, drain, release. Each order is marked as done in the step that obeys it. */
import type { IssueId } from "../domain/issue.ts";
import { noTokens } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import { about, count, drop, put, record, say, tallyOf, withBoard } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { OperatorEvent } from "./events.ts";
import { EVERYTHING, type Claim, type Pause, type PauseScope, type State } from "./state.ts";

type Ordered = OperatorEvent & { readonly at: Instant };

/** Obeys an order, once, however often it is heard (I4). */
export function order(d: Decision, event: Ordered): Decision {
  const { command, at } = event;
  if (command <= d[0].orderDone) return d;
  const done = ([state, effects]: Decision, answer: string): Decision =>
    record([{ ...state, orderDone: command }, effects], { type: "command_done", command, answer, at });
  switch (event.type) {
    case "paused": {
      const { scope, why, until } = event;
      const told = say(d, at, {}, { type: "paused", what: nameOf(scope), why, until });
      return done(setPause(told, scope, { why, since: at, until }), `${nameOf(scope)} is paused`);
    }
    case "resumed":
      return done(resume(d, event.scope, at), `${nameOf(event.scope)} goes on`);
    case "drain_ordered":
      return done(
        drain(d, event.why, at),
        "no new work is taken; Baton ends when the running turns have ended",
      );
    case "release_ordered":
      return release(d, event, done);
  }
}

const nameOf = (scope: PauseScope): string => (scope === EVERYTHING ? "everything" : `workflow "${scope}"`);

function setPause([state, effects]: Decision, scope: PauseScope, pause: Pause | null): Decision {
  const pauses = new Map(state.pauses);
  if (pause === null) pauses.delete(scope);
  else pauses.set(scope, pause);
  return record([{ ...state, pauses }, effects], { type: "pause", scope, pause });
}

/** Resuming everything resumes every workflow too: nobody should have to remember what else was paused. */
function resume(d: Decision, scope: PauseScope, at: Instant): Decision {
  const scopes = scope === EVERYTHING ? [...d[0].pauses.keys()] : [scope];
  return scopes
    .filter((one) => d[0].pauses.has(one))
    .reduce((next, one) => endPause(next, one, "somebody resumed it", at), d);
}

const endPause = (d: Decision, scope: PauseScope, why: string, at: Instant): Decision =>
  setPause(say(d, at, {}, { type: "resumed", what: nameOf(scope), why }), scope, null);

/** Ends the pauses whose time is over, and no other: a workflow that was paused on its own stays paused. */
export const endPauses = (d: Decision, at: Instant): Decision =>
  [...d[0].pauses]
    .filter(([, { until }]) => until !== null && until <= at)
    .reduce((next, [scope]) => endPause(next, scope, "its time is over", at), d);

function drain(d: Decision, why: string, at: Instant): Decision {
  const [state, effects] = d;
  // Also before the first poll: an order that was given while no daemon ran is obeyed at the start.
  if (state.phase !== "serving" && state.phase !== "starting") return d;
  return say([{ ...state, phase: "draining" }, effects], at, {}, { type: "draining", why });
}

/** A person's release wins over the brake that parked the issue: its counters start again. */
function release(
  d: Decision,
  { issue, addRuns, addTokens, at }: Extract<Ordered, { type: "release_ordered" }>,
  done: (next: Decision, answer: string) => Decision,
): Decision {
  const claim = claimOn(d[0], issue);
  if (claim === null) {
    return done(d, `nothing holds ${issue}: it is taken up when the tracker offers it`);
  }
  const { id, identifier } = claim.issue;
  const fresh = {
    runs: 0,
    failures: 0,
    idle: 0,
    tokens: noTokens,
    extraRuns: addRuns,
    extraTokens: addTokens,
  };
  const counted = count(d, id, identifier, { ...tallyOf(d[0], id), ...fresh });
  switch (claim.phase) {
    case "running":
      return done(counted, `${identifier} is running; its counters start again`);
    case "waiting":
      return done(put(counted, { ...claim, retryAt: at }, at), `${identifier} is tried again now`);
    case "parked": {
      const said = say(counted, at, about(claim), { type: "unparked", why: "somebody released it" });
      const asked = withBoard(drop(said, id), claim.workflow, (board) => ({ ...board, pollAt: at }));
      return done(asked, `${identifier} is released; it was parked because: ${claim.why}`);
    }
  }
}

const claimOn = (state: State, issue: string): Claim | null =>
  state.claims.get(issue as IssueId) ??
  [...state.claims.values()].find((claim) => claim.issue.identifier.toLowerCase() === issue.toLowerCase()) ??
  null;
