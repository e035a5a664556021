/** One tracker client per loaded text of a workflow: a run keeps the one it started with, whatever is reloaded. */
import type { Fact, Workflow } from "../domain/domain.ts";
import type { Tracker, TrackerNews } from "../tracker/tracker.ts";
import type { Clock } from "./clock.ts";

export type TrackerFor = (workflow: Workflow) => Tracker;

/** Makes and keeps clients; each goes with its workflow text. */
export function trackersFor(
  make: (workflow: Workflow, news: TrackerNews) => Tracker,
  clock: Clock,
  publish: (fact: Fact) => void,
): TrackerFor {
  const made = new WeakMap<Workflow, Tracker>();
  return (workflow) => {
    const known = made.get(workflow);
    if (known !== undefined) return known;
    const scope = { workflow: workflow.settings.name };
    const tracker = make(workflow, {
      rates: (limits) => publish({ type: "tracker_rates", limits, ...scope, at: clock.now() }),
      rejected: (error) => publish({ type: "tracker_record_rejected", error, ...scope, at: clock.now() }),
    });
    made.set(workflow, tracker);
    return tracker;
  };
}
