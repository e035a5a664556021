/** The last look before a start: issues are fetched whole by id, so that nothing starts on a stale list. */
import type { News } from "../../scheduler/scheduler.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import { readEach } from "./each.ts";
import { type Chore, retryAtOf, troubleOf } from "./chore.ts";

export interface RevalidateParts {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  readonly dispatch: (news: News) => void;
}

/** Never rejects: a tracker that does not answer is news, and so is that it is not asked for its limits' sake. */
export async function revalidate(
  { workflow, scope, ids, apart, isAgain }: Chore<"revalidate">,
  { workflows, trackerFor, dispatch }: RevalidateParts,
  signal: AbortSignal,
): Promise<void> {
  try {
    const tracker = trackerFor(workflows.current(workflow));
    const later = tracker.pacer?.mayLook(ids.length, isAgain === true) ?? null;
    if (later !== null) return dispatch({ type: "look_put_off", workflow, scope, ...later });
    const { found: issues, unreadable } = await readEach(ids, apart, (some) => tracker.issues(some, signal));
    dispatch({
      type: "revalidated",
      workflow,
      scope,
      ids,
      issues,
      ...(unreadable.length > 0 && { unreadable }),
    });
  } catch (error) {
    const trouble = { ...troubleOf(error), retryAt: retryAtOf(error) };
    dispatch({ type: "revalidation_failed", workflow, scope, ...trouble });
  }
}
