/**
 * A look at the board besides what is worked on, for people: whether the names in the settings are there, with a workflow's
 * first scan and its first after a reload, and how many issues are open, then and every ten minutes. Decides nothing.
 */
import { after, type Fact, type Instant, type Workflow, type WorkflowName } from "../../domain/domain.ts";
import type { News } from "../../scheduler/scheduler.ts";
import { mismatches, type Tracker } from "../../tracker/tracker.ts";
import type { Clock } from "../clock.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";

/** A count of ids costs hundreds of points, and hardly changes what people do. */
const COUNT_EVERY_MS = 10 * 60_000;

export interface SurveyParts {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
}

export class Surveys {
  readonly #parts: SurveyParts;
  /** When each loaded text was last surveyed; a new one is due at once. */
  readonly #lastAt = new WeakMap<Workflow, Instant>();
  readonly #compared = new WeakSet<Workflow>();

  constructor(parts: SurveyParts) {
    this.#parts = parts;
  }

  /** Looks when it is time. Never rejects: a tracker that does not answer is told by the scan, and this is asked again. */
  async look(name: WorkflowName, signal: AbortSignal): Promise<void> {
    const { workflows, trackerFor, clock, dispatch } = this.#parts;
    const workflow = workflows.current(name);
    const last = this.#lastAt.get(workflow);
    if (last !== undefined && clock.now() < after(last, COUNT_EVERY_MS)) return;
    const tracker = trackerFor(workflow);
    // It can wait: it is due again with the next scan.
    if (tracker.pacer?.maySurvey() === false) return;
    this.#lastAt.set(workflow, clock.now());
    try {
      const open = await tracker.countOpen?.(signal);
      if (open !== undefined) dispatch({ type: "open_counted", workflow: name, open });
      if (!this.#compared.has(workflow)) await this.#compare(workflow, tracker, signal);
    } catch {
      // Ten minutes later it is asked again.
    }
  }

  async #compare(workflow: Workflow, tracker: Tracker, signal: AbortSignal): Promise<void> {
    const found = await tracker.vocabulary?.(signal);
    this.#compared.add(workflow);
    if (found === undefined) return;
    const { settings } = workflow;
    const at = this.#parts.clock.now();
    for (const { text, isFatal } of mismatches(settings.tracker, found)) {
      const message = isFatal ? `${text} No issue can be taken.` : text;
      this.#parts.publish({ type: "warning", message, workflow: settings.name, at });
    }
  }
}
