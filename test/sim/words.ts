/** What a step was about, put into words for the transcript. */
import { EVERYTHING, type PauseScope, type Order } from "../../src/domain/order.ts";
import type { LedgerRecord, Work } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import { duration } from "../../src/facts/words.ts";

/** What the daemon hears. */
export function heard(event: Event): string {
  switch (event.type) {
    case "polled":
      return `hears the whole list: ${event.candidates.map((issue) => issue.identifier).join(", ") || "nothing"}`;
    case "refreshed":
      return `hears of its running issues: ${event.statuses.map((one) => `${one.identifier} ${one.state}`).join(", ") || "nothing"}`;
    case "revalidated":
      return `hears how they are: ${event.issues.map((one) => `${one.identifier} ${one.state}`).join(", ") || "nothing"}`;
    case "checked":
      return `hears of it between two turns: ${event.status?.state ?? "it is gone"}`;
    case "usage":
      return `hears that the thread has used ${event.total.total} tokens`;
    case "pulse":
      return `feels the agent's pulse: ${event.openCommands + event.openCalls} things under way`;
    case "leftovers_found":
      return `hears of finished issues with a workspace: ${event.issues.map((one) => one.identifier).join(", ")}`;
    case "open_counted":
      return `hears how many issues are open: ${event.open.count}`;
    case "scan_put_off":
      return `does not scan: ${event.pace.why ?? "it is not time"}`;
    case "look_put_off":
      return `looks later: ${event.why}`;
    case "poll_failed":
    case "refresh_failed":
    case "revalidation_failed":
      return `gets no list (${event.error})`;
    case "ordered":
      return `hears the order to ${event.order.type}`;
    case "exited":
      return `hears that the agent is gone (${event.failure?.kind ?? "no failure"})`;
    case "began":
    case "woke":
    case "configured":
    case "misconfigured":
    case "disk_checked":
    case "examined":
    case "stop_requested":
    case "launched":
    case "opened":
    case "turn_started":
    case "turn_ended":
    case "check_failed":
      return `hears "${event.type.replaceAll("_", " ")}"`;
  }
}

/** What the daemon sets going. */
export function done(work: Work): string {
  switch (work.type) {
    case "poll":
      return "asks for the list";
    case "revalidate":
      return `asks how ${work.ids.length === 1 ? "one issue is" : `${work.ids.length} issues are`}`;
    case "sweep":
      return "looks for workspaces that are left";
    case "examine":
      return "looks at Codex";
    case "remove":
      return "removes the workspace";
    case "start":
      return `starts the agent of ${work.run.id}, ${work.resume === null ? "with a new thread" : `to go on with ${work.resume}`}`;
    case "turn":
      return `asks ${work.runId} for turn ${work.turn} of ${work.turnsMax}`;
    case "check":
      return "asks how it is between two turns";
    case "pulse":
      return `feels the pulse of ${work.runId}`;
    case "steer":
      return `asks ${work.runId} to come to an end`;
    case "stop":
      return `ends ${work.runId}${work.why === null ? "" : `: ${work.why.message}`}`;
    case "exit":
      return "ends itself";
  }
}

/** What is in a record, as far as its kind does not say it. */
export const written = (records: readonly LedgerRecord[]): string =>
  `writes down: ${records.map((record) => wordFor(record)).join(", ")}`;

const wordFor = (record: LedgerRecord): string =>
  record.type === "claim" ? `claim ${record.claim.phase}` : record.type.replaceAll("_", " ");

/** Whether this is an order of that kind. */
export const isOrder = (event: Event, type: Order["type"]): boolean =>
  event.type === "ordered" && event.order.type === type;

/** What a person orders; `now` by the clock of who gives the order. */
export function ordered(order: Order, now: number): string {
  switch (order.type) {
    case "pause": {
      const until = order.until === null ? "until further notice" : `for ${duration(order.until - now)}`;
      return `orders: pause ${scopeWords(order.scope)} ${until} (${order.why})`;
    }
    case "resume":
      return `orders: resume ${scopeWords(order.scope)}`;
    case "drain":
      return `orders: take no new work and end (${order.why})`;
    case "release_all":
      return `orders: release all that is parked${order.reason === null ? "" : ` for ${order.reason}`}`;
    case "release": {
      const more = [
        ...(order.addRuns > 0 ? [`${order.addRuns} more runs`] : []),
        ...(order.addTokens > 0 ? [`${order.addTokens} more tokens`] : []),
      ];
      return `orders: release ${order.issue}${more.length > 0 ? ` with ${more.join(" and ")}` : ""}`;
    }
  }
}

const scopeWords = (scope: PauseScope): string =>
  scope === EVERYTHING ? "everything" : `the workflow ${scope}`;
