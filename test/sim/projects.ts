/**
 * Projects: tickets that people move to another one and back, whatever their runs are doing, and workflows that are pointed
 * at the other one. Which project a workflow takes its tickets from is part of its scope, as in daemon/policy.ts.
 */
import type { Issue } from "../../src/domain/issue.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import { dispatchability } from "../../src/tracker/dispatchable.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import type { Accounts } from "./account.ts";
import { WORKFLOWS } from "./config.ts";
import { often, type Ground } from "./ground.ts";
import type { Installation } from "./installation.ts";
import type { People } from "./people.ts";
import { HOUR_MS } from "./timeline.ts";

export type Project = "Home" | "Abroad";

/** As the board has it. */
export type Placed = Issue & { readonly project: Project; readonly trashed: boolean };

/** Only some worlds know more than one project. */
const KNOWN_SHARE = 0.3;
const MOVES_PER_DAY = 40;
const RELOADS_PER_DAY = 8;

const SHORTEST_MS = 20_000;
const LONGEST_MS = 3 * HOUR_MS;

const ELSEWHERE = " in Abroad";

const scopeIn = (workflow: WorkflowName, project: Project): string =>
  project === "Abroad" ? workflow + ELSEWHERE : workflow;

const projectOf = ({ scope }: Pick<Policy, "scope">): Project =>
  scope.endsWith(ELSEWHERE) ? "Abroad" : "Home";

/** Why no run may be at work on it under this scope, in the tracker's words; null = it may, as far as projects go. */
export const outside = (placed: Placed, policy: Pick<Policy, "scope">): string | null =>
  whether({ ...placed, trashed: false }, policy).whyNot ?? null;

/** What Baton itself makes of where a tracker has it. */
const whether = ({ project, trashed }: Placed, policy: Pick<Policy, "scope">) =>
  dispatchability({
    trashed,
    archived: false,
    project: { name: project, isOurs: project === projectOf(policy) },
    assignee: null,
    wanted: null,
  });

/** As the tracker shows it to who asks under this scope. */
export function shownUnder(placed: Placed, policy: Pick<Policy, "scope">): Issue {
  const { project: _project, trashed: _trashed, ...issue } = placed;
  const shown = whether(placed, policy);
  return shown.dispatchable ? issue : { ...issue, ...shown };
}

interface Around {
  readonly ground: Ground;
  readonly installation: Installation;
  readonly people: People;
  readonly accounts: Accounts;
}

/** From now on tickets and workflows go to and fro, in some worlds. */
export function projects(around: Around): void {
  const random = around.ground.stream("projects");
  if (!random.chance(KNOWN_SHARE)) return;
  const ground = { ...around.ground, random };
  often(ground, MOVES_PER_DAY, () => moveTicket({ ...around, ground }));
  often(ground, RELOADS_PER_DAY, () => moveWorkflow({ ...around, ground }));
}

/** One that something is under way with, or that waits: there it can hurt. */
function moveTicket({ ground, accounts }: Around): void {
  const { board, random, timeline, figures, calm } = ground;
  const phase = random.pick(["running", "waiting", "parked", undefined] as const);
  const issues = board.issues();
  const claimed = issues.filter(({ id }) => accounts.issue(id).claim?.phase === phase);
  const issue = random.pick(claimed.length > 0 ? claimed : issues);
  if (issue === undefined) return;
  const to = issue.project === "Home" ? "Abroad" : "Home";
  figures.add("projectMoves");
  board.change(issue.id, "person", { project: to }, `moves it to the project ${to}`);
  timeline.in(random.spread(SHORTEST_MS, LONGEST_MS), () => {
    if (!calm()) board.change(issue.id, "person", { project: issue.project }, "moves it back");
  });
}

function moveWorkflow({ ground, installation, people }: Around): void {
  const { random, timeline, figures, calm } = ground;
  const name = random.pick(WORKFLOWS);
  const policy = installation.policies.get(name);
  if (policy === undefined) return;
  const to = projectOf(policy) === "Home" ? "Abroad" : "Home";
  figures.add("projectReloads");
  people.reload({ ...policy, scope: scopeIn(name, to), hash: `${policy.hash} ${to}` });
  timeline.in(random.spread(SHORTEST_MS, LONGEST_MS), () => {
    const now = installation.policies.get(name);
    if (now !== undefined && !calm()) people.reload({ ...now, scope: policy.scope, hash: policy.hash });
  });
}
