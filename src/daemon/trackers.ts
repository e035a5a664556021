/** One tracker client per loaded text of a workflow: a run keeps the one it started with, whatever is reloaded. */
import type { AgentTool } from "../agent/port.ts";
import type { Fact, FactBody } from "../domain/fact.ts";
import type { Workflow } from "../domain/settings.ts";
import type { Tracker, TrackerNews } from "../tracker/port.ts";
import type { Clock } from "./clock.ts";

export type TrackerFor = (workflow: Workflow) => Tracker;

/** What a tool may know of the run it works for, and how it tells what it does. */
export interface ToolRun {
  /** Tells the run from every other one of any installation. */
  readonly mark: string;
  readonly publish: (fact: FactBody) => void;
  /** Like `publish`, and on disk when it returns (I4). @throws LedgerError */
  readonly record: (fact: FactBody) => void;
}

/** The tools that a run offers to its model. */
export type ToolsFor = (tracker: Tracker, run: ToolRun) => readonly AgentTool[];

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
