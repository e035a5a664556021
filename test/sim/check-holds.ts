/** What is written down of faults that are nobody's issue (I8, I9). */
import type { Failure, FailureKind } from "../../src/domain/failure.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import type { Hold, HoldCause } from "../../src/scheduler/state.ts";
import { HOLD_MAX_MS } from "../../src/scheduler/holds.ts";
import { duration } from "../../src/facts/words.ts";
import type { RunAccount } from "./account.ts";
import type { Checks, Step } from "./checks.ts";

/** Made of the ticket's own fields, by a file that was tried before: whatever it says, it says it of this ticket. */
const OF_ONE_TICKET: ReadonlySet<FailureKind> = new Set([
  "template_parse_error",
  "template_render_error",
  "input_too_large",
]);

export function checkHold(
  checks: Checks,
  step: Step,
  { workflow, hold }: Extract<LedgerRecord, { type: "hold" }>,
): void {
  const { event } = step;
  const before = checks.holds.get(workflow);
  if (hold === null) {
    if (before !== undefined && !isProof(event, before))
      checks.fail("I8", null, `the hold of ${workflow} ends although nothing has shown that it may`);
    checkFreed(checks, step, workflow);
    checks.holds.delete(workflow);
    checks.told.delete(workflow);
    return;
  }
  const kind = event.type === "exited" ? event.failure?.kind : undefined;
  const isNew = before?.cause !== hold.cause;
  if (kind !== undefined && OF_ONE_TICKET.has(kind) && isNew && hold.cause === "installation")
    checks.fail("blame", null, `${workflow} is held for a prompt that one ticket has none of (${kind})`);
  // A person who says that it may go on, or changes the settings, knows more than the provider did.
  if (event.type === "ordered" || event.type === "configured") checks.told.delete(workflow);
  const told = checks.told.get(workflow) ?? 0;
  // A step may first end a try and then hold anew; what counts is what it comes to.
  if (told > event.at && hold.until < told && isLast(step.records, workflow, hold))
    checks.fail(
      "I8",
      null,
      `the provider said until when it takes no work of ${workflow}, and is to be asked before`,
    );
  checks.holds.set(workflow, hold);
}

/** A thread was opened, tokens came in, or a turn was completed: whichever the fault had kept from happening. */
const isProof = (event: Event, { overBy }: Hold): boolean => {
  if (event.type === "opened") return overBy === "opened";
  if (event.type === "usage") return overBy === "answered";
  return event.type === "turn_ended" && event.status === "completed" && overBy !== "opened";
};

const isLast = (records: readonly LedgerRecord[], workflow: WorkflowName, hold: Hold): boolean => {
  const last = records.findLast((record) => record.type === "hold" && record.workflow === workflow);
  return last?.type === "hold" && last.hold === hold;
};

/**
 * A run ended by what is nobody's issue: whatever becomes of its issue, its workflow is held. Of the times that the
 * provider told, the latest counts, since two limits may be used up.
 */
export function checkRefusal(
  checks: Checks,
  { event, after }: Step,
  { workflow, issueId }: RunAccount,
  why: Failure,
  cause: HoldCause | null,
): void {
  if (cause === null) return;
  const told = Math.max(checks.told.get(workflow) ?? 0, why.resetsAt ?? 0);
  checks.told.set(workflow, told);
  const until = after.workflows.get(workflow)?.hold?.until ?? 0;
  if (until <= event.at || until < told)
    checks.fail(
      "I8",
      issueId,
      `a fault of the ${cause} ended a run, and ${workflow} is not held until it is over`,
    );
}

/** After a start nothing waits longer than it could have had to if it had begun to wait now. */
export function checkWaits(checks: Checks, { event, after }: Step): void {
  if (event.type !== "configured") return;
  const { workflow, backoffMaxMs } = event.policy;
  const hold = after.workflows.get(workflow)?.hold ?? null;
  const guess = event.at + HOLD_MAX_MS;
  if (hold !== null && hold.until > Math.max(guess, checks.told.get(workflow) ?? 0))
    checks.fail("I8", null, `${workflow} is held for longer than a guess may hold it`);
  const latest = Math.max(event.at + backoffMaxMs, hold?.until ?? 0);
  for (const claim of after.claims.values()) {
    if (claim.phase === "waiting" && claim.workflow === workflow && claim.retryAt > latest)
      checks.fail(
        "I3",
        claim.issue.id,
        `${claim.issue.identifier} waits for ${duration(claim.retryAt - event.at)}`,
      );
  }
}

/** When a hold is over, nobody goes on waiting for it. */
function checkFreed(checks: Checks, { event, after }: Step, workflow: WorkflowName): void {
  for (const claim of after.claims.values()) {
    if (claim.phase !== "waiting" || claim.workflow !== workflow || claim.retryAt <= event.at) continue;
    if (claim.held === true)
      checks.fail("I9", claim.issue.id, `${claim.issue.identifier} waits for a hold that is over`);
  }
}
