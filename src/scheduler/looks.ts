/** A look at candidates that nobody took: it would have cost more than is kept for it, or its answer came too late. */
import { later, type Instant } from "../domain/domain.ts";
import { withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import { areTurns, laterAgain } from "./queue.ts";
import type { Lane } from "./state.ts";

/**
 * No failure of the tracker's: nothing is said of it, no gate is shut, and what other workflows found goes on. Those that only
 * had their turn have it after a later scan, so that what is new is not kept waiting by them.
 */
export function lookPutOff(
  sofar: Decision,
  { workflow, until, why }: Extract<Event, { type: "look_put_off" }>,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const ids = lane.revalidating;
  const open = withLane(sofar, workflow, (one) => ({ ...one, revalidating: [] }));
  if (until === null) return open;
  if (areTurns(lane, ids)) return laterAgain(open, workflow, ids);
  return withLane(open, workflow, (one) => ({
    ...one,
    revalidateAt: later(one.revalidateAt, until),
    lookLater: why,
  }));
}

/** Why nobody of this workflow is looked at now, in words for people; null = somebody may be. */
export const lookGate = ({ revalidateAt, lookLater }: Lane, at: Instant): string | null =>
  revalidateAt > at ? lookLater : null;
