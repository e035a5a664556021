/**
 * Blockers that are out of the way: whatever shows that an issue has come to its end frees the candidates that were
 * refused for it. Freed is looked at again, soon: what is seen here of a blocker starts nothing by itself.
 */
import { type Blocker, stateKey } from "../domain/domain.ts";
import { withState } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import type { Candidate, Lane, State } from "./state.ts";

/** An issue, and the state in which it was seen; null = it is nowhere to be seen any more. */
interface Seen {
  readonly id: string;
  readonly state: string | null;
}

/** What this event shows of issues that may have stood in the way of others: at least all that have come to an end. */
export function outOfTheWay(before: State, event: Event): readonly Seen[] {
  if (event.type === "polled") return leftOut(before.workflows.get(event.workflow), event.candidates);
  if (event.type === "refreshed") return asked(event, event.statuses);
  // What blocks an issue is shown with it: one look at one of those that it blocks is enough for all.
  if (event.type === "revalidated")
    return [
      ...asked(event, event.issues),
      ...event.issues.flatMap(({ blockedBy }) => blockedBy.flatMap(shown)),
    ];
  if (event.type === "checked") return [{ id: event.issueId, state: event.status?.state ?? null }];
  if (event.type === "exited") return [before.claims.get(event.issueId)?.issue ?? []].flat();
  if (event.type === "leftovers_found")
    return event.issues.map(({ id, state }) => ({ id, state: state ?? null }));
  return [];
}

const shown = ({ id, state }: Blocker): readonly Seen[] =>
  id === null || state === null ? [] : [{ id, state }];

/** Candidates that a scan does not list any more: most of what leaves a list has come to its end. */
function leftOut(lane: Lane | undefined, listed: readonly { readonly id: string }[]): readonly Seen[] {
  if (lane === undefined || lane.queue.length === 0) return [];
  const ids = new Set(listed.map(({ id }) => id));
  return lane.queue
    .filter(({ issue }) => !ids.has(issue.id))
    .map(({ issue: { id } }) => ({ id, state: null }));
}

/** Those that were asked for and are not shown are gone; of those that could not be read nothing is known. */
function asked(
  { ids, unreadable = [] }: Pick<Extract<Event, { type: "refreshed" }>, "ids" | "unreadable">,
  shown: readonly Seen[],
): readonly Seen[] {
  const states = new Map(shown.map(({ id, state }) => [id, state]));
  const unknown = new Set<string>(unreadable.map(({ id }) => id));
  return ids.filter((id) => !unknown.has(id)).map((id) => ({ id, state: states.get(id) ?? null }));
}

/** Candidates of whatever workflow that were refused for one of these are looked at before others. */
export function free(sofar: Decision, seen: readonly Seen[]): Decision {
  if (seen.length === 0) return sofar;
  const states = new Map(seen.map(({ id, state }) => [id, state]));
  let workflows: Map<Lane["policy"]["workflow"], Lane> | null = null;
  for (const [name, lane] of sofar.state.workflows) {
    const ends = new Set(
      [...states]
        .filter(([, state]) => state === null || lane.policy.terminalStates.has(stateKey(state)))
        .map(([id]) => id),
    );
    const isFreed = ({ look, blockers }: Candidate): boolean =>
      look !== "first" && blockers.some((id) => ends.has(id));
    if (ends.size === 0 || !lane.queue.some(isFreed)) continue;
    const queue = lane.queue.map((one) => (isFreed(one) ? ({ ...one, look: "first" } as const) : one));
    workflows = new Map(workflows ?? sofar.state.workflows).set(name, { ...lane, queue });
  }
  return workflows === null ? sofar : withState(sofar, { workflows });
}
