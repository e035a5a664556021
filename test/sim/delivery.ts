/** How news of one run arrives: as a rule at once and in order; at times twice, or overtaken by what came after it. */
import type { RunEvent } from "../../src/scheduler/events.ts";
import { strikes, type Ground } from "./ground.ts";

const LATE_MAX_MS = 30_000;

/** One per run. */
export function delivery(ground: Ground, hear: (news: RunEvent) => void): (news: RunEvent) => void {
  const { random, timeline, figures, faults } = ground;
  let [told, youngest] = [0, 0];
  return (news) => {
    const number = (told += 1);
    const arrive = (): void => {
      if (number < youngest) figures.add("newsOvertaken");
      youngest = Math.max(youngest, number);
      hear(news);
    };
    // Its end is always told last (scheduler/events.ts).
    if (news.type !== "exited" && random.chance(faults().late))
      return timeline.in(random.spread(10, LATE_MAX_MS), arrive);
    arrive();
    if (strikes(ground, faults().echoes / 3, "newsTwice")) hear(news);
  };
}
