/** What is written down, record by record: I3, I5, I6, and that only people lift parks. */
import { failureScope } from "../../src/domain/failure.ts";
import type { IssueId } from "../../src/domain/issue.ts";
import type { RunId } from "../../src/domain/run.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Claim, Waiting } from "../../src/scheduler/state.ts";
import type { RunAccount } from "./account.ts";
import type { Checks, Step } from "./checks.ts";

export function checkRecords(checks: Checks, step: Step, records: readonly LedgerRecord[]): void {
  const { event } = step;
  const released = event.type === "release_ordered" ? heldBy(checks, event.issue) : null;
  if (released !== null && event.type === "release_ordered")
    checks.accounts.release(released, event.addRuns, event.addTokens);
  for (const record of records) checkRecord(checks, step, records, record, released);
}

function heldBy({ accounts, around }: Checks, issue: string): IssueId | null {
  const id = around.board.ids().find((one) => one === issue || around.board.issue(one)?.identifier === issue);
  const found = [...accounts.all()].find(
    ([key, { claim }]) => claim !== null && (key === id || claim.issue.identifier === issue),
  );
  return found?.[0] ?? null;
}

function checkRecord(
  checks: Checks,
  step: Step,
  records: readonly LedgerRecord[],
  record: LedgerRecord,
  released: IssueId | null,
): void {
  const { accounts } = checks;
  switch (record.type) {
    case "run_started": {
      if (accounts.runs.has(record.run.id)) checks.fail("I5", `${record.run.id} begins twice`);
      if (accounts.open.has(record.run.issueId))
        checks.fail("I1", `${record.run.id} begins while its issue has an open run`);
      return accounts.begin(record.run);
    }
    case "run_launched":
      return void open(checks, record.runId);
    case "thread_opened": {
      const run = open(checks, record.runId);
      if (run !== null) run.thread = record.threadId;
      return;
    }
    case "turn_started": {
      const run = open(checks, record.runId);
      if (run !== null) run.turns = record.number;
      return;
    }
    case "turn_ended":
      return void open(checks, record.runId);
    case "usage": {
      const run = open(checks, record.runId);
      const mark = accounts.marks.get(record.threadId) ?? 0;
      if (run !== null && (record.total.total !== mark || record.run.total !== run.tokens))
        checks.fail(
          "I6",
          `${record.runId} has ${record.run.total} of ${record.total.total} tokens in the ledger, and used ${run.tokens} of ${mark}`,
        );
      return;
    }
    case "run_ended": {
      const run = open(checks, record.runId);
      if (run === null) return;
      if (record.tokens.total !== run.tokens)
        checks.fail("I6", `${run.id} ends with ${record.tokens.total} tokens, and used ${run.tokens}`);
      return accounts.end(run, record.ending);
    }
    case "tally":
      return checkTally(checks, step, record);
    case "claim":
      checkClaim(checks, step, records, record.claim, released);
      accounts.issue(record.claim.issue.id).claim = record.claim;
      return;
    case "unclaim":
      if (accounts.issue(record.issueId).claim?.phase === "parked") checkLift(checks, record.issueId, released);
      accounts.issue(record.issueId).claim = null;
      return;
    case "hold": {
      const { event } = step;
      const proved = event.type === "turn_ended" && event.status === "completed";
      if (record.hold === null && !proved && checks.holds.has(record.workflow))
        checks.fail("I8", `the hold of ${record.workflow} ends although nothing has shown that it may`);
      if (record.hold === null) checks.holds.delete(record.workflow);
      else checks.holds.set(record.workflow, record.hold);
      return;
    }
    case "pause": {
      const before = checks.pauses.get(record.scope);
      const over = before !== undefined && before.until !== null && before.until <= step.event.at;
      if (record.pause === null && step.event.type !== "resumed" && !over)
        checks.fail("I8", "a pause ends although nobody said so and its time is not over");
      if (record.pause === null) checks.pauses.delete(record.scope);
      else checks.pauses.set(record.scope, record.pause);
      return;
    }
    case "command_done":
      if (checks.obeyed.has(record.command)) checks.fail("I4", `order ${record.command} is obeyed twice`);
      checks.obeyed.add(record.command);
  }
}

/** I5: nothing is written of a run that has ended. */
function open(checks: Checks, id: RunId): RunAccount | null {
  const run = checks.accounts.runs.get(id);
  if (run !== undefined && !run.ended) return run;
  checks.fail("I5", `${id} is over, and is written about again`);
  return null;
}

/** The issue's counters are what its runs come to. A person lifting a park starts them again. */
function checkTally(checks: Checks, step: Step, record: Extract<LedgerRecord, { type: "tally" }>): void {
  const { accounts } = checks;
  const { issueId, tally } = record;
  const account = accounts.issue(issueId);
  const lifted =
    account.claim?.phase === "parked" &&
    step.event.type !== "release_ordered" &&
    step.after.claims.get(issueId)?.phase !== "parked";
  if (lifted) accounts.release(issueId, 0, 0);
  if (tally.thread === null && account.thread !== null && hasRemoval(step, issueId)) account.thread = null;
  const wrong = [
    ...differs("runs", tally.runs, account.runs),
    ...differs("failures", tally.failures, account.failures),
    ...differs("tokens", tally.tokens.total, account.tokens),
    ...differs("extra runs", tally.extraRuns, account.extraRuns),
    ...differs("extra tokens", tally.extraTokens, account.extraTokens),
    ...(tally.thread === account.thread ? [] : [`thread ${tally.thread} instead of ${account.thread}`]),
  ];
  if (wrong.length > 0) checks.fail("I8", `${record.identifier} is counted wrong: ${wrong.join(", ")}`);
}

const differs = (what: string, is: number, should: number): readonly string[] =>
  is === should ? [] : [`${is} ${what} instead of ${should}`];

const hasRemoval = ({ effects }: Step, id: IssueId): boolean =>
  effects.some((effect) => effect.type === "remove" && effect.issueId === id);

function checkClaim(
  checks: Checks,
  step: Step,
  records: readonly LedgerRecord[],
  claim: Claim,
  released: IssueId | null,
): void {
  const { id } = claim.issue;
  const before = checks.accounts.issue(id).claim;
  if (before?.phase === "parked" && claim.phase !== "parked") checkLift(checks, id, released);
  if (claim.phase === "parked" && before?.phase !== "parked")
    checks.accounts.issue(id).parkedAt = checks.around.timeline.true;
  if (claim.phase === "waiting") checkWait(checks, step, records, claim, before);
}

/** Only a person lifts a park: by an order, or by what they did to the issue since. */
function checkLift(checks: Checks, id: IssueId, released: IssueId | null): void {
  if (released === id) return;
  const handled = checks.around.board.handledAt(id);
  if (handled === null || handled < checks.accounts.issue(id).parkedAt)
    checks.fail("park", `${id} is taken up again although nobody released it`);
}

/** I3, I8: after a failure the wait is as long as it should be; a refusal by the provider holds the whole workflow. */
function checkWait(
  checks: Checks,
  { event }: Step,
  records: readonly LedgerRecord[],
  claim: Waiting,
  before: Claim | null,
): void {
  if (before?.phase === "waiting" && before.attempt !== claim.attempt)
    checks.fail("I8", `${claim.issue.identifier} waits, and its attempt is counted`);
  const ended = records.find((record) => record.type === "run_ended");
  if (event.type !== "exited" || ended?.type !== "run_ended" || claim.failure === null) return;
  const waitMs = claim.retryAt - event.at;
  if (failureScope(claim.failure.kind) === "provider") {
    const { resetsAt } = claim.failure;
    const held = records.find((record) => record.type === "hold" && record.workflow === claim.workflow);
    const until = held?.type === "hold" ? (held.hold?.until ?? 0) : 0;
    if (until <= event.at || (resetsAt !== null && until < resetsAt))
      checks.fail("I8", `the provider takes no work, and ${claim.workflow} is not held until it does`);
    return;
  }
  const cap = checks.around.policies.get(claim.workflow)?.backoffMaxMs ?? 0;
  const { failures } = checks.accounts.issue(claim.issue.id);
  const should = Math.min(10_000 * 2 ** (Math.max(1, failures) - 1), cap);
  if (waitMs !== should)
    checks.fail("I3", `${claim.issue.identifier} is tried again in ${waitMs} ms instead of ${should} ms`);
}
