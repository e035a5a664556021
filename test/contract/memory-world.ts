/** The board in memory as a world of the tracker suite, behind whatever makes its trackers. */
import { instant } from "../../src/domain/time.ts";
import { MemoryBoard } from "../../src/tracker/memory-board.ts";
import type { MemoryTracker } from "../../src/tracker/memory.ts";
import { TrackerError } from "../../src/tracker/port.ts";
import { people, type Scope, usualScope, type World } from "./tracker-suite.ts";

export function memoryWorld(open: (board: MemoryBoard, scope: Scope) => MemoryTracker): World {
  const users = [
    { id: "user-ada", ...people.ada },
    { id: "user-bob", ...people.bob },
  ];
  const board = new MemoryBoard({ users });
  const userId = (who: keyof typeof people): string => `user-${who}`;
  const trackers: MemoryTracker[] = [];
  let limit: TrackerError | null = null;
  return {
    tracker: (scope = {}) => {
      const tracker = open(board, { ...usualScope, ...scope });
      if (limit !== null) tracker.failNext(1, limit);
      limit = null;
      trackers.push(tracker);
      return tracker;
    },
    add: ({ assignee, ...draft }) =>
      board.add({ ...draft, ...(assignee === undefined ? {} : { assignee: userId(assignee) }) }).id,
    move: (id, state) => board.move(id, state),
    unlabel: (id, label) => board.unlabel(id, label),
    assign: (id, who) => board.assign(id, who === null ? null : userId(who)),
    moveTo: (id, project) => void board.edit(id, { project }),
    block: (id, by) => board.block(id, by),
    archive: (id) => void board.edit(id, { archived: true }),
    trash: (id) => void board.edit(id, { trashed: true }),
    remove: (id) => board.remove(id),
    userId,
    requests: () => trackers.reduce((sum, tracker) => sum + tracker.asked.length, 0),
    limitRateUntil: (at) => {
      limit = new TrackerError("tracker_rate_limited", "used up", { status: 400, retryAt: instant(at) });
    },
    close: async () => {},
  };
}
