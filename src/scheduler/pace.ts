/** How often scans are possible, told to people when it changes: a board that is looked at less often must not seem forgotten. */
import type { Instant, WorkflowName } from "../domain/domain.ts";
import { say, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Lane, Pace } from "./state.ts";

/** How often scans are due, in milliseconds: as it is wished for, or as the tracker's limits allow. */
export const scanEveryMs = ({ policy, pace }: Pick<Lane, "policy" | "pace">): number =>
  Math.max(policy.pollIntervalMs, pace?.everyMs ?? 0);

/** As the tracker says it now. */
export function paced(
  sofar: Decision,
  workflow: WorkflowName,
  pace: Pace | undefined,
  at: Instant,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined || pace === undefined) return sofar;
  const before = lane.pace;
  const isAsWished = pace.why === null;
  if (isAsWished && before === null) return sofar;
  if (before?.everyMs === pace.everyMs && before.why === pace.why) return sofar;
  const known = withLane(sofar, workflow, (one) => ({
    ...one,
    pace: isAsWished ? null : pace,
    scan: { ...one.scan, paceSince: at },
  }));
  const { everyMs, why } = pace;
  return say(
    known,
    at,
    { workflow },
    { type: "scans_paced", everyMs, wishedMs: lane.policy.pollIntervalMs, why },
  );
}
