/** What is written down of claims: who waits waits as long as they should, and only people lift parks (I3, I8). */
import type { IssueId } from "../../src/domain/issue.ts";
import { duration } from "../../src/facts/words.ts";
import type { Claim, Waiting } from "../../src/scheduler/state.ts";
import type { Checks, Step } from "./checks.ts";
import { shownUnder } from "./projects.ts";

export function checkClaim(checks: Checks, step: Step, claim: Claim, released: ReadonlySet<IssueId>): void {
  const { id } = claim.issue;
  const before = checks.accounts.issue(id).claim;
  if (before?.phase === "parked" && claim.phase !== "parked") checkLift(checks, id, released);
  if (claim.phase === "parked" && before?.phase !== "parked")
    checks.accounts.issue(id).parkedAt = step.trueAt;
  if (claim.phase === "waiting") checkWait(checks, step, claim, before);
}

/** Only a person lifts a park, by an order or by what they did to the issue since; or its own agent had closed it. */
export function checkLift(checks: Checks, id: IssueId, released: ReadonlySet<IssueId>): void {
  const { accounts, around } = checks;
  if (released.has(id)) return;
  const { claim, parkedAt } = accounts.issue(id);
  const handled = around.board.handledAt(id);
  if (handled !== null && handled >= parkedAt) return;
  if (claim !== null && (checks.rescopedAt.get(claim.workflow) ?? -1) >= parkedAt) return;
  const now = around.board.issue(id);
  // Deleted while its agent was at it: that was before the park.
  if (now === null) return;
  // Done by its own agent, put away or moved to another project while that was at work: not seen before the first look.
  const policy = claim === null ? undefined : around.policies.get(claim.workflow);
  const isAway = policy !== undefined && !shownUnder(now, policy).dispatchable;
  const isOver = CLOSED.has(now.state) || isAway;
  if (claim?.phase === "parked" && claim.unseen === true && isOver) return;
  checks.fail("I3", id, `${id} is taken up again although nobody released it`);
}

const CLOSED: ReadonlySet<string> = new Set(["Done", "Canceled"]);

/** I3, I8: after a failure the wait is as long as it should be; a refusal by the provider holds the whole workflow. */
function checkWait(checks: Checks, { event, records }: Step, claim: Waiting, before: Claim | null): void {
  if (before?.phase === "waiting" && before.attempt !== claim.attempt)
    checks.fail("I8", claim.issue.id, `${claim.issue.identifier} waits, and its attempt is counted`);
  // Nothing began: it waits on, and says for what.
  if (before?.phase === "waiting" && before.retryAt === claim.retryAt) return;
  const ended = records.find((record) => record.type === "run_ended");
  if (event.type !== "exited" || ended?.type !== "run_ended" || claim.failure === null) return;
  const waitMs = claim.retryAt - event.at;
  if (claim.held === true) return;
  const cap = checks.around.policies.get(claim.workflow)?.backoffMaxMs ?? 0;
  const { failures } = checks.accounts.issue(claim.issue.id);
  const should = Math.min(10_000 * 2 ** (Math.max(1, failures) - 1), cap);
  if (waitMs !== should)
    checks.fail(
      "I3",
      claim.issue.id,
      `${claim.issue.identifier} is tried again in ${duration(waitMs)} instead of ${duration(should)}`,
    );
}
