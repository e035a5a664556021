/**
 * I9: what a calm spell promises.
 *
 * From some moment on nothing goes wrong: no process is killed, every request is answered at once and truly, disks have
 * room, the clock is right, no pause is in force, the settings are sensible, and agents finish what they are given.
 * Nobody writes tickets or gives orders. Then, within the spell, without anybody doing anything:
 *
 * - every issue that is active, routable and not blocked has run until it is done, whatever had happened to it before:
 *   claimed, waiting, held back, queued, run half way, lost;
 * - but for those that are parked: they wait for a person, and say so;
 * - no workspace is left of an issue that is done or in the trash, and a parked one goes by the name that it has now;
 * - no claim is left on an issue that is nobody's business any more;
 * - no order of a person is left unobeyed;
 * - no agent's process is left.
 *
 * It says "until it is done", which is more than that it gets to run: an issue that is started over and over and never
 * allowed to finish is not alive.
 */
import { isOver as mayGo, refusal } from "../../src/scheduler/eligible.ts";
import type { Checks } from "./checks.ts";
import type { Ground } from "./ground.ts";
import type { Installation } from "./installation.ts";
import { shownUnder } from "./projects.ts";

/** Looks at the end of a calm spell. */
export function checkLiveness(
  { board, agents, figures }: Ground,
  installation: Installation,
  checks: Checks,
): void {
  const policies = [...installation.policies.values()];
  for (const issue of board.issues()) {
    const { claim } = checks.accounts.issue(issue.id);
    const { id, identifier } = issue;
    const holder = claim === null ? undefined : installation.policies.get(claim.workflow);
    const isAway = holder !== undefined && !shownUnder(issue, holder).dispatchable;
    const isOver = policies.every((policy) => mayGo(shownUnder(issue, policy), policy));
    if (claim === null && isOver && installation.workspaces.has(id))
      checks.fail(
        "I9",
        id,
        `the workspace of ${identifier} is left behind, and nobody will work on it again`,
      );
    if (claim?.phase === "parked" && isAway)
      checks.fail("I9", id, `${identifier} is parked for ever, and nobody may work on it`);
    else if (claim?.phase === "parked" && claim.issue.identifier !== identifier)
      checks.fail("I9", id, `${identifier} is parked under the name that it had, ${claim.issue.identifier}`);
    else if (claim?.phase === "parked") figures.add("parks");
    else if (policies.some((policy) => refusal(shownUnder(issue, policy), policy) === null))
      checks.fail(
        "I9",
        id,
        `${identifier} has not run to its end although nothing is in its way (${claim?.phase ?? "no claim"})`,
      );
    else if (claim !== null)
      checks.fail("I9", id, `the claim on ${identifier} is never let go of (${claim.phase})`);
  }
  for (const { id } of installation.ledger.orders()) checks.fail("I9", null, `order ${id} is never obeyed`);
  for (const { run } of agents) checks.fail("I9", run.issueId, `the agent of ${run.id} is left behind`);
}
