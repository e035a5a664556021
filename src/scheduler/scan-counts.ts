/**
 * What scans come to, told to people when it changes: a board of which nothing is taken must not look like one on which
 * nothing happens. Decides nothing.
 */
import type { Instant, ScanCounts } from "../domain/domain.ts";
import { say, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import { startGate } from "./gates.ts";
import { lookGate } from "./looks.ts";
import type { Claim, Lane, LastScan, State } from "./state.ts";

/** Before the first. */
export const noScan: LastScan = {
  at: null,
  paceSince: null,
  listed: 0,
  error: null,
  open: null,
  isNew: false,
  told: null,
};

/** After a complete scan that listed so many. */
export const scanned = ({ open, told, paceSince }: LastScan, listed: number, at: Instant): LastScan => ({
  at,
  paceSince,
  listed,
  error: null,
  // Counted more seldom: what is listed now is open.
  open: open === null ? null : { ...open, count: Math.max(open.count, listed) },
  isNew: true,
  told,
});

/** What was counted is told with the scan, or by itself when that was told already. */
export const counted = (
  sofar: Decision,
  { workflow, open }: Extract<Event, { type: "open_counted" }>,
): Decision =>
  withLane(sofar, workflow, (lane) => ({
    ...lane,
    scan: { ...lane.scan, open, isNew: lane.scan.at !== null },
  }));

/** Tells every scan whose issues have been looked at, if it comes to something else than the last one that was told. */
export function tellScans(sofar: Decision, at: Instant): Decision {
  let next = sofar;
  for (const lane of sofar.state.workflows.values())
    if (lane.scan.isNew && lane.revalidating.length === 0) next = tellScan(next, lane, at);
  return next;
}

function tellScan(sofar: Decision, { policy: { workflow }, scan: before }: Lane, at: Instant): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const counts = countsOf(sofar.state, lane, at);
  const told = withLane(sofar, workflow, (lane) => ({
    ...lane,
    scan: { ...lane.scan, isNew: false, told: counts },
  }));
  return isSame(before.told, counts)
    ? told
    : say(told, at, { workflow }, { type: "scan_changed", ...counts });
}

function countsOf(state: State, lane: Lane, at: Instant): ScanCounts {
  const { workflow } = lane.policy;
  const phases: Record<Claim["phase"], number> = { running: 0, waiting: 0, parked: 0 };
  for (const claim of state.claims.values()) if (claim.workflow === workflow) phases[claim.phase] += 1;
  const unclaimed = lane.queue.filter(({ issue }) => !state.claims.has(issue.id));
  const blocked = unclaimed.filter(({ refusedAt }) => refusedAt !== null).length;
  const { open, listed } = lane.scan;
  const ready = unclaimed.length - blocked;
  return {
    open,
    listed,
    ...phases,
    blocked,
    ready,
    gate: ready === 0 ? null : (startGate(state, lane, at) ?? lookGate(lane, at)),
  };
}

const isSame = (before: ScanCounts | null, now: ScanCounts): boolean =>
  before !== null &&
  before.open?.count === now.open?.count &&
  before.open?.isAll === now.open?.isAll &&
  (["listed", "running", "waiting", "parked", "blocked", "ready", "gate"] as const).every(
    (name) => before[name] === now[name],
  );
