/** What is done outside: I1, I2, I4, I8, seen from where the agents live. */
import { EVERYTHING } from "../../src/domain/order.ts";
import { duration } from "../../src/facts/words.ts";
import type { Run } from "../../src/domain/run.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { NewsOf } from "../../src/scheduler/events.ts";
import { refusal } from "../../src/scheduler/eligible.ts";
import { dayOf } from "../../src/scheduler/gates.ts";
import type { HoldCause, Policy } from "../../src/scheduler/state.ts";
import type { Checks, Step } from "./checks.ts";
import { outside, shownUnder } from "./projects.ts";

export function checkWork(checks: Checks, step: Step, work: Work): void {
  switch (work.type) {
    case "start":
      return checkStart(checks, step, work);
    case "turn":
      return checkTurn(checks, step, work);
    case "stop":
    case "steer":
    case "check":
    case "pulse":
      if (checks.accounts.runs.get(work.runId)?.ended !== false)
        checks.fail(
          "I5",
          checks.accounts.runs.get(work.runId)?.issueId ?? null,
          `"${work.type}" is asked of ${work.runId}, which is over`,
        );
      return;
    case "remove":
      return checkRemoval(checks, work);
    case "poll":
    case "revalidate":
      if (!checks.inTime.mayAsk(work, step.event.at))
        checks.fail(
          "C5",
          null,
          `the tracker of ${work.workflow} is asked again before its time (${work.type})`,
        );
      return;
    case "sweep":
    case "examine":
    case "exit":
  }
}

/** When it is asked for, and again when its turn comes. */
export function checkRemoval(
  checks: Checks,
  { issueId, identifier }: Extract<Work, { type: "remove" }>,
): void {
  if ([...checks.around.agents].some((agent) => agent.run.issueId === issueId))
    checks.fail("I1", issueId, `the workspace of ${identifier} is removed under its agent`);
}

function checkStart(
  checks: Checks,
  step: Step,
  { run, issue, resume }: Extract<Work, { type: "start" }>,
): void {
  const { around, accounts } = checks;
  const living = [...around.agents].filter((agent) => agent.run.issueId === issue.id);
  for (const agent of living)
    checks.fail("I1", run.issueId, `${run.id} starts while ${agent.run.id} still works on it`);
  const row = around.ledger.run(run.id);
  const claim = around.ledger.issue(issue.id)?.claim;
  if (row === null || row.ending !== null)
    checks.fail("I4", run.issueId, `${run.id} starts and is not in the ledger`);
  if (claim?.phase !== "running" || claim.run.id !== run.id)
    checks.fail("I4", run.issueId, `${run.id} starts and its claim is not in the ledger`);
  const policy = around.policies.get(run.workflow);
  if (policy === undefined) return checks.fail("I2", run.issueId, `nobody knows the workflow of ${run.id}`);
  checkCaps(checks, run, policy);
  const shut = [
    ...gates(checks, step, run),
    ...held(checks, step, run, ["provider", "installation", "systemic"]),
    ...room(checks, run),
    ...limits(checks, run, policy),
  ];
  if (shut.length > 0) checks.fail("I8", run.issueId, `${run.id} starts although ${shut.join(", and ")}`);
  const before = step.before.claims.get(issue.id);
  if (before?.phase === "waiting" && before.retryAt > step.event.at)
    checks.fail(
      "I3",
      issue.id,
      `${run.id} starts ${duration(before.retryAt - step.event.at)} before its time`,
    );
  const truth = around.board.issue(issue.id);
  checkScope(checks, step, run, `${run.id} starts`);
  const isOutside = truth !== null && outside(truth, policy) !== null;
  const refused =
    truth === null ? "it is gone" : isOutside ? null : refusal(shownUnder(truth, policy), policy);
  if (refused !== null) checks.fail("I7", run.issueId, `${run.id} starts although ${refused}`);
  const faults = resume === null ? 0 : (accounts.threadFaults.get(resume) ?? 0);
  if (resume !== null && faults >= 2 && around.deadThreads.has(resume))
    checks.fail(
      "thread",
      issue.id,
      `${run.id} resumes ${resume}, which can never go on, after ${faults} runs`,
    );
  if (resume !== accounts.issue(issue.id).thread)
    checks.fail(
      "thread",
      issue.id,
      `${run.id} starts with ${resume} instead of ${accounts.issue(issue.id).thread}`,
    );
}

/** By the project that the daemon was told its workflow is of, and the one that the ticket is really in. */
function checkScope(
  checks: Checks,
  { before }: Step,
  { workflow, issueId }: Pick<Run, "workflow" | "issueId">,
  does: string,
): void {
  const truth = checks.around.board.issue(issueId);
  const policy = before.workflows.get(workflow)?.policy;
  const why = truth === null || policy === undefined ? null : outside(truth, policy);
  if (why !== null) checks.fail("scope", issueId, `${does} although ${why}`);
}

/** I2, by the processes there are; the one that starts is not among them yet. */
function checkCaps(checks: Checks, run: Run, policy: Policy): void {
  const { agents, policies } = checks.around;
  const shared = Math.max(...[...policies.values()].map(({ agentsMax }) => agentsMax));
  const own = [...agents].filter((agent) => agent.run.workflow === run.workflow);
  if (agents.size >= shared)
    checks.fail("I2", run.issueId, `${run.id} starts as number ${agents.size + 1} of ${shared}`);
  if (own.length >= policy.agentsMax)
    checks.fail(
      "I2",
      run.issueId,
      `${run.id} starts as number ${own.length + 1} of ${policy.agentsMax} in ${run.workflow}`,
    );
}

function checkTurn(
  checks: Checks,
  step: Step,
  { runId, turn, turnsMax }: Extract<Work, { type: "turn" }>,
): void {
  const run = checks.accounts.runs.get(runId);
  if (run === undefined || run.ended)
    return checks.fail("I5", run?.issueId ?? null, `a turn of ${runId} begins, which is over`);
  const policy = checks.around.policies.get(run.workflow);
  // Silence counts from the request on.
  run.watched = (policy?.silenceMaxMs ?? 0) > 0;
  // The first turn belongs to its start, which was allowed.
  if (turn === 1 || policy === undefined) return;
  checkScope(checks, step, run, `turn ${turn} of ${runId} begins`);
  if (turn > policy.turnsMax || turnsMax !== policy.turnsMax)
    checks.fail("I8", run.issueId, `${runId} has too many turns`);
  const { tokens, extraTokens } = checks.accounts.issue(run.issueId);
  const spent =
    tokens + run.tokens >= policy.limits.maxTokensPerIssue + extraTokens ? ["its tokens are used up"] : [];
  const shut = [...gates(checks, step, run), ...held(checks, step, run, ["provider"]), ...spent];
  if (shut.length > 0)
    checks.fail("I8", run.issueId, `turn ${turn} of ${runId} begins although ${shut.join(", and ")}`);
}

/**
 * A run whose turn has ended and that is given no other, while its issue is still its business, was cut short by a gate;
 * what it says of that must be so, since such a run counts for nothing.
 */
export function checkCut(checks: Checks, step: Step, { runId, issueId }: NewsOf<"checked">): void {
  const run = checks.accounts.runs.get(runId);
  const [before, after] = [step.before.claims.get(issueId), step.after.claims.get(issueId)];
  if (run === undefined || before?.phase !== "running" || before.step !== "checking") return;
  if (after?.phase !== "running" || after.step !== "ending") return;
  const shut = [...gates(checks, step, run), ...held(checks, step, run, ["provider"])];
  run.cutShort = after.ending?.gate !== undefined;
  if (run.cutShort && shut.length === 0 && dayOf(step.event.at) > checks.muddledUntil)
    checks.fail("I8", issueId, `${runId} says that "${after.ending?.gate}", and no gate is shut`);
}

/** What a person, the provider or the budget has shut, by what is in the ledger. */
function gates(
  checks: Checks,
  { event, after }: Step,
  { workflow }: Pick<Run, "workflow">,
): readonly string[] {
  const { pauses, accounts, around } = checks;
  const days = [...around.policies.values()].flatMap(({ limits }) => limits.maxTokensPerDay ?? []);
  const today = dayOf(event.at);
  const spent = today > checks.muddledUntil ? (accounts.days.get(today) ?? 0) : 0;
  return [
    ...(pauses.has(EVERYTHING) || pauses.has(workflow) ? ["it is paused"] : []),
    ...(spent >= Math.min(Number.POSITIVE_INFINITY, ...days) ? ["the day's tokens are used up"] : []),
    ...(after.phase !== "serving" || checks.leaving ? ["Baton is to come to its end"] : []),
  ];
}

/** A hold is in force, for one of these causes; what the provider told is one of its own. */
function held(
  { holds, told }: Checks,
  { event }: Step,
  { workflow }: Pick<Run, "workflow">,
  causes: readonly HoldCause[],
): readonly string[] {
  const hold = holds.get(workflow);
  const until = hold !== undefined && causes.includes(hold.cause) ? hold.until : 0;
  return Math.max(until, told.get(workflow) ?? 0) > event.at ? ["it is held"] : [];
}

/** What stands in the way of a start and not of a further turn. */
const room = ({ broken, low }: Checks, { workflow }: Run): readonly string[] => [
  ...(broken.has(workflow) ? ["its WORKFLOW.md is broken"] : []),
  ...(low.has(workflow) ? ["the disk has no room for workspaces"] : []),
];

/** The account counts the run that starts. */
function limits(
  { accounts }: Checks,
  { issueId }: Run,
  { limits: { maxRunsPerIssue, maxFailures, maxTokensPerIssue } }: Policy,
): readonly string[] {
  const { runs, failures, tokens, extraRuns, extraTokens } = accounts.issue(issueId);
  return [
    ...(runs > maxRunsPerIssue + extraRuns ? [`it had ${runs - 1} runs`] : []),
    ...(failures >= maxFailures ? [`${failures} runs in a row failed`] : []),
    ...(tokens >= maxTokensPerIssue + extraTokens ? ["its tokens are used up"] : []),
  ];
}
