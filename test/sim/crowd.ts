/**
 * Backlogs: now and then more tickets come at once than there are slots for hours, urgent ones for one workflow and others
 * for the other. Drawn by itself, so that worlds without them stay as they are.
 */
import type { Issue } from "../../src/domain/issue.ts";
import type { Board, Nature } from "./board.ts";
import type { Ground } from "./ground.ts";
import { Random } from "./random.ts";
import { HOUR_MS } from "./timeline.ts";

const EVERY_MS = 24 * HOUR_MS;

/** For each workflow. */
const TICKETS = 12;

/** Nothing is special about them. */
const PLAIN: Nature = { hopeless: false, pointless: false, hungry: false, turns: 2 };

/** Every third one waits for the one before it. */
const BLOCKED_EVERY = 3;

/** From now on backlogs come. */
export function crowd(ground: Ground, seed: number): void {
  const { timeline, calm } = ground;
  const random = new Random(seed ^ 0x63726f77);
  const next = (): void => {
    if (!calm()) backlog(ground.board, random);
    timeline.in(EVERY_MS, next);
  };
  timeline.in(HOUR_MS, next);
}

function backlog(board: Board, random: Random): void {
  const urgent = random.pick(["baton", "review"]);
  for (const label of ["baton", "review"]) {
    let before: Issue | null = null;
    for (let n = 1; n <= TICKETS; n += 1) {
      const id = board.create(random, [label], PLAIN);
      const state = label === "review" ? "In Review" : "Todo";
      const priority = label === urgent ? random.between(1, 2) : random.between(3, 4);
      const blockedBy = n % BLOCKED_EVERY === 0 && before !== null ? [before] : [];
      board.change(id, "person", { state, priority, blockedBy }, "gives it its place");
      before = board.issue(id);
    }
  }
}
