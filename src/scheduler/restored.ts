/**
 * Deadlines that came from the ledger, held against the clock of this start. They are points on the wall clock: after it
 * was set back, a retry in ten seconds would be a day away.
 */
import { after, earlier, instant, type Instant, later } from "../domain/domain.ts";
import { put, withHold } from "./change.ts";
import type { Decision } from "./effects.ts";
import { HOLD_MAX_MS } from "./holds.ts";
import type { Hold, Policy } from "./state.ts";

/** Nothing of this workflow waits longer than it could have had to if it had begun to wait now. */
export function boundWaits(sofar: Decision, policy: Policy, at: Instant): Decision {
  const { workflow, backoffMaxMs } = policy;
  const held = boundHold(sofar, policy, at);
  const hold = held.state.workflows.get(workflow)?.hold ?? null;
  const latest = later(after(at, backoffMaxMs), hold === null ? null : hold.until);
  return held.state.claims.waiting
    .filter((claim) => claim.workflow === workflow && claim.retryAt > latest)
    .reduce((next, claim) => put(next, { ...claim, retryAt: latest }, at), held);
}

/** A hold whose end the provider has told stays as told. */
function boundHold(sofar: Decision, { workflow }: Policy, at: Instant): Decision {
  const hold: Hold | null = sofar.state.workflows.get(workflow)?.hold ?? null;
  if (hold === null || hold.refusals === 0) return sofar;
  const until = earlier(hold.until, after(at, HOLD_MAX_MS)) ?? instant(at);
  return until === hold.until ? sofar : withHold(sofar, workflow, { ...hold, until });
}
