/**
 * Deadlines that came from the ledger, held against the clock of this start. They are points on the wall clock: after it
 * was set back, a retry in ten seconds would be a day away.
 */
import { after, earlier, instant, later, type Instant } from "../domain/time.ts";
import { put, withHold } from "./change.ts";
import type { Decision } from "./effects.ts";
import { HOLD_MAX_MS } from "./gates.ts";
import type { Claim, Hold, Policy, Waiting } from "./state.ts";

/** Nothing of this workflow waits longer than it could have had to if it had begun to wait now. */
export function boundWaits(d: Decision, policy: Policy, at: Instant): Decision {
  const { workflow, backoffMaxMs } = policy;
  const held = boundHold(d, policy, at);
  const hold = held[0].workflows.get(workflow)?.hold ?? null;
  const latest = later(after(at, backoffMaxMs), hold === null ? null : hold.until);
  return [...held[0].claims.values()]
    .filter((claim): claim is Waiting => isTooLate(claim, policy, latest))
    .reduce((next, claim) => put(next, { ...claim, retryAt: latest }, at), held);
}

const isTooLate = (claim: Claim, { workflow }: Policy, latest: Instant): boolean =>
  claim.phase === "waiting" && claim.workflow === workflow && claim.retryAt > latest;

/** A hold whose end the provider has told stays as told. */
function boundHold(d: Decision, { workflow }: Policy, at: Instant): Decision {
  const hold: Hold | null = d[0].workflows.get(workflow)?.hold ?? null;
  if (hold === null || hold.refusals === 0) return d;
  const until = earlier(hold.until, after(at, HOLD_MAX_MS)) ?? instant(at);
  return until === hold.until ? d : withHold(d, workflow, { ...hold, until });
}
