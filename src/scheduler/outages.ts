/**
 * Questions to the tracker that go without an answer, told to people: a failure that lasts is one thing, said when it
 * begins, when it becomes another, each hour, and when it is over. Decides nothing.
 */
import { type Asked, HOUR_MS, type Instant, type WorkflowName } from "../domain/domain.ts";
import { say, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Outage } from "./state.ts";

/** Somebody who comes to the log later must find it. */
const SAID_EVERY_MS = HOUR_MS;

/** A tracker that is down may fail in some ways by turns; one that fails otherwise each time is said with the hour. */
const SORTS_MAX = 8;

interface Unanswered {
  readonly workflow: WorkflowName;
  readonly kind: string;
  readonly error: string;
  readonly retryAt: Instant | null;
  readonly at: Instant;
}

/** The tracker did not answer this question. */
export function unanswered(sofar: Decision, asked: Asked, event: Unanswered): Decision {
  const { workflow, kind, error, retryAt, at } = event;
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const before = lane.outages.get(asked) ?? { since: at, times: 0, saidAt: null, said: new Set<string>() };
  const sort = sortOf(kind, error);
  const isLongAgo = before.saidAt !== null && at - before.saidAt >= SAID_EVERY_MS;
  const isNew = !before.said.has(sort) && before.said.size < SORTS_MAX;
  const times = before.times + 1;
  const isTold = (isNew || isLongAgo) && !goesWithout(asked, times, lane.outages);
  const outage: Outage = {
    since: before.since,
    lastAt: at,
    times,
    saidAt: isTold ? at : before.saidAt,
    said: isTold ? new Set([...(isLongAgo ? [] : before.said), sort]) : before.said,
  };
  const known = withLane(sofar, workflow, (lane) => ({
    ...lane,
    outages: new Map(lane.outages).set(asked, outage),
  }));
  if (!isTold) return known;
  const again = times > 1 ? { times, since: before.since } : {};
  return say(
    known,
    at,
    { workflow },
    asked === "scan"
      ? { type: "poll_failed", kind, error, retryAt, ...again }
      : { type: "refresh_failed", asked, kind, error, ...again },
  );
}

/**
 * A look beside the scan that fails with it is no news; and the look for running issues comes shortly before the scan, so
 * that its first failure may be the scan's own.
 */
const goesWithout = (asked: Asked, times: number, outages: ReadonlyMap<Asked, Outage>): boolean =>
  asked !== "scan" && (outages.has("scan") || (asked === "running" && times === 1));

/** The tracker answered this question: said when it had failed more than once. */
export function answered(sofar: Decision, asked: Asked, workflow: WorkflowName, at: Instant): Decision {
  const outage = sofar.state.workflows.get(workflow)?.outages.get(asked);
  if (outage === undefined) return sofar;
  const over = withLane(sofar, workflow, (lane) => {
    const outages = new Map(lane.outages);
    outages.delete(asked);
    return { ...lane, outages };
  });
  const { times, since, saidAt } = outage;
  if (times === 1 || saidAt === null) return over;
  return say(over, at, { workflow }, { type: "tracker_answers", asked, times, since });
}

/**
 * A scan was complete. What was not asked any more since the one before it (`lastScanAt`), because nobody runs or waits, is
 * over too.
 */
export function scanAnswered(
  sofar: Decision,
  workflow: WorkflowName,
  lastScanAt: Instant | null,
  at: Instant,
): Decision {
  const outages = sofar.state.workflows.get(workflow)?.outages ?? [];
  return [...outages]
    .filter(([asked, { lastAt }]) => asked === "scan" || (lastScanAt !== null && lastAt <= lastScanAt))
    .reduce((next, [asked]) => answered(next, asked, workflow, at), sofar);
}

/** What an error is about: times, ids and a server's own words make no other one of it. */
const sortOf = (kind: string, error: string): string =>
  `${kind} ${error.replaceAll(/"[^"]*"/g, "").replaceAll(/\d{4,}\S*/g, "")}`;
