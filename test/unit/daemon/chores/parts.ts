/** What chores are given in tests: one workflow, a clock moved by hand, and a record of all that is told. */
import { TrackerError, type Tracker } from "../../../../src/tracker/port.ts";
import type { News } from "../../../../src/scheduler/events.ts";
import type { Fact } from "../../../../src/domain/fact.ts";
import { issueId } from "../../../../src/domain/issue.ts";
import { after } from "../../../../src/domain/time.ts";
import { HandClock } from "../hand-clock.ts";
import { withLines, workflowOf } from "../../workflow/parsing.ts";
import { acme } from "../../../whose.ts";

export const workflow = workflowOf(withLines(""));
export const workflows = { current: () => workflow, check: () => {} };
export const ID = issueId("id-1");

/** A tracker that can only be asked these. */
export const trackerWith = (answers: Partial<Tracker>) => () =>
  ({ home: async () => acme, ...answers }) as Tracker;

/** Parts that record what is told. */
export function recorded() {
  const news: News[] = [];
  const facts: Fact[] = [];
  const clock = new HandClock();
  return {
    news,
    facts,
    clock,
    limited: (): TrackerError =>
      new TrackerError("tracker_rate_limited", "used up.", { retryAt: after(clock.now(), 60_000) }),
    parts: {
      workflows,
      clock,
      publish: (fact: Fact) => void facts.push(fact),
      dispatch: (one: News) => void news.push(one),
    },
  };
}
