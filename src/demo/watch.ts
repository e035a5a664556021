/** Follows the daemon's facts and the board's changes, keeps the progress, and shows it to whoever watches. */
import type { Facts } from "../facts/facts.ts";
import { type Fact, issueId } from "../domain/domain.ts";
import type { BoardIssue, BoardStore } from "./board/board.ts";
import type { State } from "../scheduler/scheduler.ts";
import { changed, happened } from "./happened.ts";
import { heard, newProgress, type Progress, type Seed, seen, spent } from "./progress.ts";
import type { Screen } from "./screen.ts";
import { agentLabel } from "./tickets.ts";
import type { World } from "./world.ts";

export interface WatchParts {
  readonly world: Pick<World, "board" | "issues" | "published">;
  readonly facts: Facts;
  readonly screen: Screen;
  /** The scheduler's state, for its accounts. */
  readonly state: () => State;
  /** Called after everything that happened. */
  readonly moved: (progress: Progress) => void;
}

export interface Watching {
  stop(): void;
}

/** Shows the beginning, and from then on every change. */
export function watch({ world, facts, screen, state, moved }: WatchParts): Watching {
  const { store } = world.board;
  const stateName = (id: string): string => store.state(id).name;
  let progress = newProgress(world.issues.map((issue) => seedOf(store, issue)));
  const blockers = new Set([...progress.values()].flatMap((ticket) => ticket.blockedBy));
  const became = (next: Progress): void => {
    progress = spent(next, state());
    screen.show(progress);
    moved(progress);
  };
  const hear = (fact: Fact): void => {
    screen.tell(fact.identifier ?? null, happened(fact));
    if (isPublished(fact, blockers)) world.published.open();
    became(heard(progress, fact));
  };
  const forget = facts.subscribe(hear, "the demo's progress");
  const look = store.subscribe((change) => {
    if ("issue" in change) screen.tell(change.issue.identifier, changed(change, stateName));
    became(seen(progress, change, stateName));
  });
  screen.show(progress);
  return {
    stop: () => {
      forget();
      look();
    },
  };
}

/** The hook that publishes a ticket's commits has run for one that others wait for. */
const isPublished = (fact: Fact, blockers: ReadonlySet<string>): boolean =>
  fact.type === "hook_ran" && fact.hook === "after_run" && blockers.has(fact.identifier ?? "");

function seedOf(store: BoardStore, { id, identifier, title, stateId, labelIds }: BoardIssue): Seed {
  const labels = labelIds.flatMap((label) => store.labels.get(label)?.name ?? []);
  const blockedBy = [...store.relations.values()]
    .filter((relation) => relation.type === "blocks" && relation.relatedIssueId === id)
    .map((relation) => store.issue(relation.issueId).identifier);
  return {
    id: issueId(id),
    identifier,
    title,
    state: store.state(stateId).name,
    labels,
    wanted: labels.includes(agentLabel),
    blockedBy,
  };
}
