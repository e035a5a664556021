/**
 * Tickets that go into the trash, and some of them come back: they are on no list then, and are found by their id. And
 * tickets that are moved to another team: they have another name from then on, and the id that they had.
 */
import type { IssueId } from "../../src/domain/issue.ts";
import type { Accounts } from "./account.ts";
import { often, type Ground } from "./ground.ts";
import type { Placed } from "./projects.ts";
import { HOUR_MS } from "./timeline.ts";

/** Only some worlds know it. */
const KNOWN_SHARE = 0.3;
const TRASHED_PER_DAY = 20;
const RENAMED_PER_DAY = 15;

/** The others stay there. */
const RESTORED_SHARE = 0.5;
const SHORTEST_MS = 20_000;
const LONGEST_MS = 3 * HOUR_MS;

/** From now on tickets go away, in some worlds. */
export function away(world: Ground, accounts: Accounts): void {
  const random = world.stream("away");
  if (!random.chance(KNOWN_SHARE)) return;
  const ground = { ...world, random };
  let renamed = 0;
  often(ground, TRASHED_PER_DAY, () => {
    const issue = oneOf(ground, accounts);
    if (issue !== undefined && !issue.trashed) trash(ground, issue.id);
  });
  often(ground, RENAMED_PER_DAY, () => {
    const issue = oneOf(ground, accounts);
    if (issue === undefined) return;
    renamed += 1;
    ground.figures.add("ticketsRenamed");
    const identifier = `M-${renamed}`;
    ground.board.change(
      issue.id,
      "person",
      { identifier },
      `moves it to another team: it is ${identifier} now`,
    );
  });
}

/** One that something is under way with, or that waits: there it can hurt. */
function oneOf({ board, random }: Ground, accounts: Accounts): Placed | undefined {
  const phase = random.pick(["running", "waiting", "parked", undefined] as const);
  const issues = board.issues();
  const claimed = issues.filter(({ id }) => accounts.issue(id).claim?.phase === phase);
  return random.pick(claimed.length > 0 ? claimed : issues);
}

function trash({ board, random, timeline, figures, calm }: Ground, id: IssueId): void {
  figures.add("ticketsTrashed");
  board.change(id, "person", { trashed: true }, "puts it into the trash");
  if (!random.chance(RESTORED_SHARE)) return;
  timeline.in(random.spread(SHORTEST_MS, LONGEST_MS), () => {
    if (!calm()) board.change(id, "person", { trashed: false }, "takes it out of the trash");
  });
}
