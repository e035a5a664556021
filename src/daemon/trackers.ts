/** One tracker client per loaded text of a workflow: a run keeps the one it started with, whatever is reloaded. */
import { type Fact, type FactBody, unreadableTopic, type Workflow } from "../domain/domain.ts";
import type { Tracker, TrackerNews } from "../tracker/tracker.ts";
import type { Clock } from "./clock.ts";

export type TrackerFor = (workflow: Workflow) => Tracker;

/** Takes back what was said of a record that was left out. */
const readAgain = (error: string): FactBody => ({
  type: "warning",
  topic: unreadableTopic(error),
  over: true,
  message: `no longer so: ${error}`,
});

/**
 * Makes and keeps clients; each goes with its workflow text. What a list leaves out is told when it begins and when it is
 * over, not with every scan.
 */
export function trackersFor(
  make: (workflow: Workflow, news: TrackerNews) => Tracker,
  clock: Clock,
  publish: (fact: Fact) => void,
): TrackerFor {
  const made = new WeakMap<Workflow, Tracker>();
  /** What was left out of the last list of each kind, by workflow. */
  const leftOut = new Map<string, ReadonlySet<string>>();
  return (workflow) => {
    const known = made.get(workflow);
    if (known !== undefined) return known;
    const scope = { workflow: workflow.settings.name };
    const rejected: TrackerNews["rejected"] = (errors, list) => {
      const before = leftOut.get(`${list} ${scope.workflow}`) ?? new Set();
      const now = new Set(errors);
      leftOut.set(`${list} ${scope.workflow}`, now);
      const at = clock.now();
      for (const error of now)
        if (!before.has(error)) publish({ type: "tracker_record_rejected", error, ...scope, at });
      for (const error of before) if (!now.has(error)) publish({ ...readAgain(error), ...scope, at });
    };
    const tracker = make(workflow, {
      rates: (limits) => publish({ type: "tracker_rates", limits, ...scope, at: clock.now() }),
      rejected,
    });
    made.set(workflow, tracker);
    return tracker;
  };
}
