/** What people order: pause, resume, drain, release. Each order is marked as done in the step that obeys it. */
import {
  EVERYTHING,
  NOT_HELD,
  REFUSED,
  type Instant,
  type IssueId,
  type Order,
  type ParkReason,
  type WorkflowName,
} from "../domain/domain.ts";
import { lanesOf, obstacles } from "./answers.ts";
import { about, count, drop, put, record, say, tallyOf, withLane, withState } from "./change.ts";
import type { Decision } from "./effects.ts";
import { freeSlots } from "./eligible.ts";
import type { Event } from "./events.ts";
import { tryNow } from "./holds.ts";
import type { Claim, Parked, State } from "./state.ts";
import { pause, resume } from "./pauses.ts";
import { givenUpLater, type Granted, released, type Tally } from "./tally.ts";

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
    case "pause":
      return pause(sofar, order, at);
    case "resume":
      return resume(sofar, order.scope, at);
    case "drain":
      return [drain(sofar, order.why, at), drainAnswer(sofar.state.phase)];
    case "release":
      return release(sofar, order, at);
    case "release_all":
      return releaseAll(sofar, order.reason, at);
  }
}

function drainAnswer(before: State["phase"]): string {
  if (before === "stopping" || before === "stopped") return "Baton is ending already";
  const what = "no new work is taken; Baton ends when the running turns have ended";
  return before === "draining" ? `Baton is draining already: ${what}` : what;
}

function drain(sofar: Decision, why: string, at: Instant): Decision {
  const { phase } = sofar.state;
  // Also before the first poll: an order that was given while no daemon ran is obeyed at the start.
  if (phase !== "serving" && phase !== "starting") return sofar;
  return say(withState(sofar, { phase: "draining" }), at, {}, { type: "draining", why });
}

/** A person's release wins over the brake that parked the issue: its counters start again. */
function release(
  sofar: Decision,
  { issue, addRuns, addTokens, newThread }: Extract<Order, { type: "release" }>,
  at: Instant,
): readonly [Decision, string] {
  const claim = claimOn(sofar.state, issue);
  if (claim === null) return [sofar, `${NOT_HELD}${issue}: it is taken up when the tracker offers it`];
  const { id, identifier } = claim.issue;
  const parked = claim.phase === "parked" ? claim.why : null;
  const granted = { extraRuns: addRuns, extraTokens: addTokens };
  const before = tallyOf(sofar.state, id);
  // What the run under way reports is counted on from its thread's mark.
  const isLater = newThread === true && claim.phase === "running";
  const reset = released(before, { parked, granted, newThread: newThread === true && !isLater });
  const fresh = isLater ? givenUpLater(reset) : reset;
  const counted = count(sofar, id, identifier, fresh);
  const thread = threadWords(before, isLater, fresh);
  const why = `somebody released it${grantedWords(granted)}${thread}`;
  switch (claim.phase) {
    case "running": {
      const told = say(counted, at, about(claim), { type: "release_ordered", during: "running", why });
      return [told, `${identifier} is running; its counters start again${thread}`];
    }
    case "waiting": {
      const told = say(counted, at, about(claim), { type: "release_ordered", during: "waiting", why });
      const due = put(told, { ...claim, retryAt: at }, at);
      const tried = tryNow(due, claim.workflow, `somebody released ${identifier}`, at);
      return [tried, `${identifier} ${whatNext(tried.state, claim.workflow)}${thread}`];
    }
    case "parked": {
      const freed = tryNow(
        unpark(counted, claim, why, at),
        claim.workflow,
        `somebody released ${identifier}`,
        at,
      );
      const obstacle = obstacles(freed.state, lanesOf(freed.state, [claim.workflow]));
      const but = obstacle === null ? "" : `; ${obstacle}`;
      return [freed, `${identifier} is released${thread}; it was parked because: ${claim.why}${but}`];
    }
  }
}

function whatNext(state: State, workflow: WorkflowName): string {
  const [lane] = lanesOf(state, [workflow]);
  const why = obstacles(state, lanesOf(state, [workflow]));
  if (why !== null) return `is due; ${why}`;
  return lane !== undefined && freeSlots(state, lane) === 0
    ? "is tried again as soon as a slot is free"
    : "is tried again now";
}

/** It is scanned for at once. */
function unpark(sofar: Decision, claim: Parked, why: string, at: Instant): Decision {
  const said = say(sofar, at, about(claim), { type: "unparked", why });
  return withLane(drop(said, claim.issue.id), claim.workflow, (lane) => ({ ...lane, pollAt: at }));
}

/** Releases whatever is parked, or is for this reason. */
function releaseAll(sofar: Decision, reason: ParkReason | null, at: Instant): readonly [Decision, string] {
  const parked = [...sofar.state.claims.values()].filter(
    (claim): claim is Parked => claim.phase === "parked" && (reason === null || claim.reason === reason),
  );
  if (parked.length === 0)
    return [sofar, reason === null ? "nothing is parked" : `nothing is parked for "${reason}"`];
  const freed = parked.reduce((next, claim) => {
    const { id, identifier } = claim.issue;
    return unpark(
      count(next, id, identifier, released(tallyOf(next.state, id), { parked: claim.why })),
      claim,
      "somebody released what is parked",
      at,
    );
  }, sofar);
  const names = [...new Set(parked.map(({ workflow }) => workflow))];
  const tried = names.reduce(
    (next, name) => tryNow(next, name, "somebody released what is parked", at),
    freed,
  );
  const why = obstacles(tried.state, lanesOf(tried.state, names));
  return [tried, `${countedByReason(parked)}${why === null ? "" : `; ${why}`}`];
}

function countedByReason(parked: readonly Parked[]): string {
  const counts = new Map<ParkReason, number>();
  for (const { reason } of parked) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const each = [...counts].map(([reason, n]) => `${n} ${reason}`).join(", ");
  return `${parked.length === 1 ? "1 ticket is" : `${parked.length} tickets are`} released (${each})`;
}

const grantedWords = ({ extraRuns, extraTokens }: Granted): string => {
  const more = [
    ...(extraRuns > 0 ? [`${extraRuns} more ${extraRuns === 1 ? "run" : "runs"}`] : []),
    ...(extraTokens > 0 ? [`${extraTokens} more tokens`] : []),
  ];
  return more.length === 0 ? "" : `, with ${more.join(" and ")}`;
};

/** What becomes of the thread, where it is not simply resumed. */
function threadWords(before: Tally, isLater: boolean, after: Tally): string {
  if (isLater) return ", and the run after this one begins a new thread";
  return before.thread !== null && after.thread === null ? ", and its next run begins a new thread" : "";
}

const claimOn = (state: State, issue: string): Claim | null =>
  state.claims.get(issue as IssueId) ??
  [...state.claims.values()].find((claim) => claim.issue.identifier.toLowerCase() === issue.toLowerCase()) ??
  null;
