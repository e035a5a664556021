/** What people order: pause, resume, drain, release. Each order is marked as done in the step that obeys it. */
import {
  EVERYTHING,
  REFUSED,
  type Instant,
  type IssueId,
  type Order,
  type PauseScope,
} from "../domain/domain.ts";
import { about, count, drop, put, record, say, tallyOf, withLane, withState } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import type { Claim, Pause, State } from "./state.ts";
import { released } from "./tally.ts";

/** Obeys an order, once, however often it is heard (I4 of docs/ARCHITECTURE.md). */
export function ordered(
  sofar: Decision,
  { number, order, isFromBefore = false, at }: Extract<Event, { type: "ordered" }>,
): Decision {
  if (number <= sofar.state.orderDone) return sofar;
  const refusal = refusalOf(sofar.state, order, isFromBefore);
  const [next, answer] = refusal === null ? obey(sofar, order, at) : [sofar, REFUSED + refusal];
  return record(withState(next, { orderDone: number }), { type: "order_done", number, answer, at });
}

/** Why nothing can come of the order; null when something can. */
function refusalOf({ workflows, pauses }: State, order: Order, isFromBefore: boolean): string | null {
  // Whoever gave it wanted the end of a daemon that has ended, and not that of the next one.
  if (order.type === "drain" && isFromBefore)
    return "the daemon that it was given to has ended, and this one was started since; drain again if this one is to end";
  if (order.type !== "pause" && order.type !== "resume") return null;
  const { scope } = order;
  if (scope === EVERYTHING || workflows.has(scope) || pauses.has(scope)) return null;
  const known = [...workflows.keys()].map((name) => `"${name}"`).join(", ");
  return `no workflow is called "${scope}" here; there is ${known}`;
}

/** What follows from the order, and the answer for the person who gave it. */
function obey(sofar: Decision, order: Order, at: Instant): readonly [Decision, string] {
  switch (order.type) {
    case "pause": {
      const { scope, why, until } = order;
      const told = say(sofar, at, {}, { type: "paused", what: nameOf(scope), why, until });
      return [setPause(told, scope, { why, since: at, until }), `${nameOf(scope)} is paused`];
    }
    case "resume":
      return [resume(sofar, order.scope, at), `${nameOf(order.scope)} goes on${unlessLeaving(sofar.state)}`];
    case "drain":
      return [
        drain(sofar, order.why, at),
        "no new work is taken; Baton ends when the running turns have ended",
      ];
    case "release":
      return release(sofar, order, at);
  }
}

/** A pause is ended all the same: it would outlive the daemon. */
const unlessLeaving = ({ phase }: State): string =>
  phase === "draining" || phase === "stopping"
    ? " at the next start; this daemon takes no new work and ends when its running turns have ended"
    : "";

const nameOf = (scope: PauseScope): string => (scope === EVERYTHING ? "everything" : `workflow "${scope}"`);

function setPause(sofar: Decision, scope: PauseScope, pause: Pause | null): Decision {
  const pauses = new Map(sofar.state.pauses);
  if (pause === null) pauses.delete(scope);
  else pauses.set(scope, pause);
  return record(withState(sofar, { pauses }), { type: "pause", scope, pause });
}

/** Resuming everything resumes every workflow too: nobody should have to remember what else was paused. */
function resume(sofar: Decision, scope: PauseScope, at: Instant): Decision {
  const scopes = scope === EVERYTHING ? [...sofar.state.pauses.keys()] : [scope];
  return scopes
    .filter((one) => sofar.state.pauses.has(one))
    .reduce((next, one) => endPause(next, one, "somebody resumed it", at), sofar);
}

const endPause = (sofar: Decision, scope: PauseScope, why: string, at: Instant): Decision =>
  setPause(say(sofar, at, {}, { type: "resumed", what: nameOf(scope), why }), scope, null);

/** Ends the pauses whose time is over, and no other: a workflow that was paused on its own stays paused. */
export const endPauses = (sofar: Decision, at: Instant): Decision =>
  [...sofar.state.pauses]
    .filter(([, { until }]) => until !== null && until <= at)
    .reduce((next, [scope]) => endPause(next, scope, "its time is over", at), sofar);

function drain(sofar: Decision, why: string, at: Instant): Decision {
  const { phase } = sofar.state;
  // Also before the first poll: an order that was given while no daemon ran is obeyed at the start.
  if (phase !== "serving" && phase !== "starting") return sofar;
  return say(withState(sofar, { phase: "draining" }), at, {}, { type: "draining", why });
}

/** A person's release wins over the brake that parked the issue: its counters start again. */
function release(
  sofar: Decision,
  { issue, addRuns, addTokens }: Extract<Order, { type: "release" }>,
  at: Instant,
): readonly [Decision, string] {
  const claim = claimOn(sofar.state, issue);
  if (claim === null) return [sofar, `nothing holds ${issue}: it is taken up when the tracker offers it`];
  const { id, identifier } = claim.issue;
  const parked = claim.phase === "parked" ? claim.why : null;
  const granted = { extraRuns: addRuns, extraTokens: addTokens };
  const fresh = released(tallyOf(sofar.state, id), parked, granted);
  const counted = count(sofar, id, identifier, fresh);
  switch (claim.phase) {
    case "running":
      return [counted, `${identifier} is running; its counters start again`];
    case "waiting":
      return [put(counted, { ...claim, retryAt: at }, at), `${identifier} is tried again now`];
    case "parked": {
      const said = say(counted, at, about(claim), { type: "unparked", why: "somebody released it" });
      const asked = withLane(drop(said, id), claim.workflow, (lane) => ({ ...lane, pollAt: at }));
      return [asked, `${identifier} is released; it was parked because: ${claim.why}`];
    }
  }
}

const claimOn = (state: State, issue: string): Claim | null =>
  state.claims.get(issue as IssueId) ??
  [...state.claims.values()].find((claim) => claim.issue.identifier.toLowerCase() === issue.toLowerCase()) ??
  null;
