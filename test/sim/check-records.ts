/** What is written down, record by record: of runs, counters, pauses and orders (I1, I4, I5, I6, I8). */
import type { IssueId } from "../../src/domain/issue.ts";
import type { Order } from "../../src/domain/order.ts";
import type { Ending, RunId } from "../../src/domain/run.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import { GONE } from "../../src/scheduler/running.ts";
import { causeOfEnding } from "../../src/scheduler/settle.ts";
import type { Account, RunAccount } from "./account.ts";
import { STALE_MAX_MS } from "./board.ts";
import { checkClaim, checkLift } from "./check-claims.ts";
import { checkHold, checkRefusal } from "./check-holds.ts";
import type { Checks, Step } from "./checks.ts";
import { isOrder } from "./words.ts";

/** A board that is shown as it was before a ticket was written, twice in a row, is none of a run's faults. */
const YOUNG_MS = 2 * STALE_MAX_MS;

/** One answer that leaves out an issue ends no run of it: whose run ends for that is not there any more. */
function checkGone(checks: Checks, { trueAt }: Step, run: RunAccount, why: string): void {
  const issue = checks.around.board.issue(run.issueId);
  if (issue === null || !why.includes(GONE) || trueAt - (issue.createdAt ?? 0) < YOUNG_MS) return;
  checks.fail("I7", run.issueId, `${run.id} is ended as if ${issue.identifier} were gone, and it is there`);
}

export function checkRecords(checks: Checks, step: Step): void {
  const { event, records } = step;
  const order = event.type === "ordered" ? event.order : null;
  const released = order === null ? new Set<IssueId>() : releasedBy(checks, order);
  const granted = order?.type === "release" ? order : { addRuns: 0, addTokens: 0 };
  for (const id of released) {
    checks.accounts.release(id, granted.addRuns, granted.addTokens);
    if (order?.type === "release" && order.newThread === true) checks.accounts.issue(id).newThread = true;
    if (step.after.claims.get(id)?.phase === "parked")
      checks.fail("I3", id, `somebody released ${id}, and it is still parked`);
  }
  if (event.type === "ordered" && order?.type === "drain")
    checkDrain(checks, step, event.isFromBefore === true);
  const tallies = records.filter((record) => record.type === "tally");
  for (const { issueId } of tallies)
    if (isLifted(checks, step, issueId)) checks.accounts.release(issueId, 0, 0);
  for (const record of records) checkRecord(checks, step, record, released);
  if (event.type === "ordered" && !checks.obeyed.has(event.number))
    checks.fail("I4", null, `order ${event.number} is obeyed, and not marked as done`);
  // Counters are written before what they count.
  for (const tally of tallies) checkTally(checks, step, tally);
}

/** A drain ends the daemon it was given to. */
function checkDrain(checks: Checks, { before, after }: Step, isFromBefore: boolean): void {
  if (!isFromBefore) checks.leaving = true;
  else if (before.phase !== after.phase)
    checks.fail("I9", null, "a drain that was given to a daemon that is gone ends the next one");
}

/**
 * Whether a person's act starts the counters again. What a parked issue looks like at the first look is its agent's
 * doing: one that is done is let go of, and its counters stay.
 */
function isLifted({ accounts, around }: Checks, { event, after }: Step, id: IssueId): boolean {
  const { claim } = accounts.issue(id);
  if (claim?.phase !== "parked" || isOrder(event, "release") || isOrder(event, "release_all")) return false;
  if (after.claims.get(id)?.phase === "parked") return false;
  return claim.unseen !== true || around.board.issue(id) === null;
}

/** The issues that this order lets go of. */
function releasedBy(checks: Checks, order: Order): ReadonlySet<IssueId> {
  if (order.type === "release") {
    const id = heldBy(checks, order.issue);
    return new Set(id === null ? [] : [id]);
  }
  if (order.type !== "release_all") return new Set();
  const parked = [...checks.accounts.all()].filter(
    ([, { claim }]) => claim?.phase === "parked" && (order.reason ?? claim.reason) === claim.reason,
  );
  return new Set(parked.map(([id]) => id));
}

function heldBy({ accounts }: Checks, issue: string): IssueId | null {
  // By a name that Baton has not seen yet nothing can be found.
  const found = [...accounts.all()].find(
    ([key, { claim }]) => claim !== null && (key === issue || claim.issue.identifier === issue),
  );
  return found?.[0] ?? null;
}

function checkRecord(checks: Checks, step: Step, record: LedgerRecord, released: ReadonlySet<IssueId>): void {
  const { accounts } = checks;
  switch (record.type) {
    case "run_started": {
      if (accounts.runs.has(record.run.id))
        checks.fail("I5", record.run.issueId, `${record.run.id} begins twice`);
      if (accounts.open.has(record.run.issueId))
        checks.fail("I1", record.run.issueId, `${record.run.id} begins while its issue has an open run`);
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
      if (run === null) return;
      run.turns = record.number;
      run.watched = (checks.around.policies.get(run.workflow)?.silenceMaxMs ?? 0) > 0;
      return;
    }
    case "turn_ended": {
      const run = open(checks, record.runId);
      // It can go on: what it did before was not in a row with what comes.
      if (record.status === "completed" && run !== null && run.thread !== null)
        accounts.threadFaults.delete(run.thread);
      return;
    }
    case "usage": {
      const run = open(checks, record.runId);
      const mark = accounts.marks.get(record.threadId) ?? 0;
      if (run !== null && (record.total.total !== mark || record.run.total !== run.tokens))
        checks.fail(
          "I6",
          record.issueId,
          `${record.runId} has ${record.run.total} of ${record.total.total} tokens in the ledger, and used ${run.tokens} of ${mark}`,
        );
      if (run !== null) checkOver(checks, run);
      return;
    }
    case "run_ended": {
      const run = open(checks, record.runId);
      if (run === null) return;
      if (record.tokens.total !== run.tokens)
        checks.fail(
          "I6",
          run.issueId,
          `${run.id} ends with ${record.tokens.total} tokens, and used ${run.tokens}`,
        );
      checkGone(checks, step, run, record.ending.failure?.message ?? "");
      return checkEnd(checks, step, run, record.ending);
    }
    case "tally":
      return;
    case "claim":
      checkClaim(checks, step, record.claim, released);
      accounts.issue(record.claim.issue.id).claim = record.claim;
      return;
    case "unclaim": {
      const phase = accounts.issue(record.issueId).claim?.phase;
      if (phase === "parked") checkLift(checks, record.issueId, released);
      if (phase === "waiting" && step.event.type === "polled")
        checks.fail("I3", record.issueId, "an issue waits no more because a list leaves it out");
      accounts.issue(record.issueId).claim = null;
      return;
    }
    case "refusals":
      return;
    case "hold":
      return checkHold(checks, step, record);
    case "pause": {
      const before = checks.pauses.get(record.scope);
      const over = before !== undefined && before.until !== null && before.until <= step.event.at;
      if (record.pause === null && !isOrder(step.event, "resume") && !over)
        checks.fail("I8", null, "a pause ends although nobody said so and its time is not over");
      if (record.pause === null) checks.pauses.delete(record.scope);
      else checks.pauses.set(record.scope, record.pause);
      return;
    }
    case "order_done":
      if (checks.obeyed.has(record.number)) checks.fail("I4", null, `order ${record.number} is obeyed twice`);
      checks.obeyed.add(record.number);
  }
}

/** The end of a run counts as what it was; what turns out to be nobody's issue gives back what was counted before. */
function checkEnd(checks: Checks, step: Step, run: RunAccount, ending: Ending): void {
  const claim = step.before.claims.get(run.issueId);
  const lane = step.before.workflows.get(run.workflow);
  const cause = claim?.phase === "running" ? causeOfEnding(step.before, lane, claim, ending) : null;
  if (ending.failure !== null) checkRefusal(checks, step, run, ending.failure, cause);
  const outage = checks.around.struck.get(run.id) ?? null;
  checks.accounts.end(run, ending, { held: cause !== null, outage });
  checkBlame(checks, run, outage);
  if (cause !== "systemic") return;
  for (const [id, failures] of lane?.signs.streak?.failures ?? [])
    if (id === run.issueId || step.before.claims.has(id)) checks.accounts.giveBack(id, failures);
}

/**
 * An outage of the provider, or a fault of the installation, is counted against no ticket; but one that another one was
 * answered after, and that is struck again, looks like one that fails alone, and may be counted once.
 */
function checkBlame(checks: Checks, { issueId }: RunAccount, outage: number | null): void {
  const times = outage === null ? 0 : (checks.accounts.issue(issueId).struck.get(outage) ?? 0);
  if (times > 1)
    checks.fail("blame", issueId, `${times} failures by one outage are counted against ${issueId}`);
}

/** From the report on that tells that the issue's tokens are used up, its run has to come to its end. */
function checkOver({ accounts, around }: Checks, run: RunAccount): void {
  const { tokens, extraTokens } = accounts.issue(run.issueId);
  const max = (around.policies.get(run.workflow)?.limits.maxTokensPerIssue ?? 0) + extraTokens;
  if (tokens + run.tokens >= max) run.overSince ??= around.timeline.at;
}

/** I5: nothing is written of a run that has ended. */
function open(checks: Checks, id: RunId): RunAccount | null {
  const run = checks.accounts.runs.get(id);
  if (run !== undefined && !run.ended) return run;
  checks.fail("I5", run?.issueId ?? null, `${id} is over, and is written about again`);
  return null;
}

/** The issue's counters are what its runs come to. A person lifting a park starts them again. */
function checkTally(checks: Checks, step: Step, record: Extract<LedgerRecord, { type: "tally" }>): void {
  const { accounts } = checks;
  const { issueId, tally } = record;
  const account = accounts.issue(issueId);
  if (tally.thread === null && account.thread !== null && mayForget(step, issueId, account)) {
    account.thread = null;
    account.threadFailed = 0;
    account.newThread = false;
  }
  const wrong = [
    ...differs("runs", tally.runs, account.runs),
    ...differs("failures", tally.failures, account.failures),
    ...differs("tokens", tally.tokens.total, account.tokens),
    ...differs("extra runs", tally.extraRuns, account.extraRuns),
    ...differs("extra tokens", tally.extraTokens, account.extraTokens),
    ...(tally.thread === account.thread ? [] : [`thread ${tally.thread} instead of ${account.thread}`]),
  ];
  if (wrong.length > 0)
    checks.fail("I8", issueId, `${record.identifier} is counted wrong: ${wrong.join(", ")}`);
}

const differs = (what: string, is: number, should: number): readonly string[] =>
  is === should ? [] : [`${is} ${what} instead of ${should}`];

/** A thread goes with its workspace, when it has failed twice, and when a person releases an issue that it made fail. */
const mayForget = (step: Step, id: IssueId, { threadFailed, newThread }: Account): boolean =>
  hasRemoval(step, id) ||
  newThread ||
  threadFailed >= 2 ||
  (threadFailed === 1 && step.before.claims.get(id)?.phase === "parked");

const hasRemoval = ({ work }: Step, id: IssueId): boolean =>
  work.some((task) => task.type === "remove" && task.issueId === id);
