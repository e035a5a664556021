/** Workspaces left by issues that ended while nobody looked (SPEC 8.6), and what has been kept for long enough. */
import type { Fact } from "../../domain/domain.ts";
import { workspaceKey, type Workspaces } from "../../workspace/workspace.ts";
import type { Clock } from "../clock.ts";
import type { News } from "../../scheduler/scheduler.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import { type Chore, troubleOf } from "./chore.ts";

export interface SweepParts {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  readonly workspaces: Pick<Workspaces, "existing">;
  /** Removes what has been kept for long enough. */
  readonly tidy: () => Promise<void>;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
}

/** Never rejects: a sweep that failed is said, and done again with the next. */
export async function sweep(
  { workflow, scope }: Chore<"sweep">,
  parts: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  const { workflows, trackerFor, workspaces, tidy, clock, publish, dispatch } = parts;
  const current = workflows.current(workflow);
  const { workspace, tracker } = current.settings;
  try {
    await tidy();
    const keys = new Set(await workspaces.existing(workspace));
    if (keys.size === 0) return;
    const done = await trackerFor(current).inStates(tracker.terminalStates, signal);
    const issues = done.filter((issue) => keys.has(workspaceKey(issue.identifier)));
    if (issues.length > 0) dispatch({ type: "leftovers_found", workflow, scope, issues });
  } catch (error) {
    const message = `The sweep for workspaces of finished issues did not work; it is repeated in an hour. ${troubleOf(error).error}`;
    publish({ type: "warning", message, workflow, at: clock.now() });
  }
}
