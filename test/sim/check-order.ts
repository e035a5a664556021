/**
 * Whose turn it is: no ticket that may start waits behind a lower one, of whatever workflow. Lower is what comes later by
 * priority and age; runs that go on with a ticket are work in hand, and do not count.
 */
import { duration } from "../../src/facts/words.ts";
import { byPriorityAndAge, freeSlotsInState, refusal, sharedSlots } from "../../src/scheduler/eligible.ts";
import type { Event } from "../../src/scheduler/events.ts";
import { startGate } from "../../src/scheduler/gates.ts";
import { keptUntil } from "../../src/scheduler/shares.ts";
import type { Lane, State } from "../../src/scheduler/state.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { Checks, Step } from "./checks.ts";
import { shownUnder, type Placed } from "./projects.ts";

/**
 * How long it may: three slow answers in a row, and as many times the ten seconds for which slots are kept for a workflow
 * that looks.
 */
const WAIT_MAX_MS = 5 * 60_000;

/** What was refused is looked at in its turn: with some twenty tickets within two scans, and one may be lost. */
const TURN_SCANS = 3;

export class Order {
  readonly #checks: Checks;
  /** By workflow and ticket: since when it could have started but for a slot. */
  readonly #since = new Map<string, number>();

  constructor(checks: Checks) {
    this.#checks = checks;
  }

  /** A new process knows nobody. */
  begin(): void {
    this.#since.clear();
  }

  /** What each of these events may have changed is looked at. */
  decided({ event, after }: Step): void {
    if (event.type === "poll_failed" || event.type === "revalidation_failed") this.#forget(event.workflow);
    if (LOOKED_AFTER.has(event.type)) this.#look(after, event.at);
  }

  /** A first run starts: nobody that is before it may have waited for too long. */
  doing(work: Work, step: Step): void {
    // Its first run again, after a hold: that is work in hand too.
    if (work.type !== "start" || work.run.kind !== "first" || work.run.attempt !== null) return;
    const { board, timeline } = this.#checks.around;
    const now = timeline.at;
    const started = board.issue(work.issue.id);
    if (started === null || isFresh(started, timeline.true)) return;
    for (const [name, lane] of step.after.workflows) {
      // Its tracker takes its time: the others do not wait for it.
      const until = keptUntil(lane);
      if (until !== null && until <= step.event.at) continue;
      // It looks at its first in line just now, and has a slot for it all the same.
      if (until !== null && sharedSlots(step.after) > step.after.claims.running.size) continue;
      for (const {
        issue: { id },
        refusedAt,
      } of lane.queue) {
        const since = this.#since.get(`${name} ${id}`);
        const issue = board.issue(id);
        if (since === undefined || issue === null || isFresh(issue, timeline.true)) continue;
        const extra = refusedAt === null ? 0 : TURN_SCANS * lane.policy.pollIntervalMs;
        if (now - since <= WAIT_MAX_MS + extra || byPriorityAndAge(issue, started) >= 0) continue;
        this.#checks.fail(
          "fair",
          id,
          `${issue.identifier} of ${name} has waited for ${duration(now - since)} when ${work.run.id} of ${work.run.workflow} starts with ${started.identifier}, which comes after it`,
        );
      }
    }
  }

  #look(state: State, at: Event["at"]): void {
    const { timeline, board } = this.#checks.around;
    const before = new Map(this.#since);
    this.#since.clear();
    for (const [name, lane] of state.workflows) {
      if (!isServed(state, lane, at)) continue;
      for (const {
        issue: { id },
      } of lane.queue) {
        const issue = board.issue(id);
        if (issue === null || !this.#mayStart(state, lane, issue)) continue;
        const key = `${name} ${id}`;
        this.#since.set(key, before.get(key) ?? timeline.at);
      }
    }
  }

  #mayStart(state: State, lane: Lane, issue: Placed): boolean {
    const policy = this.#checks.around.policies.get(lane.policy.workflow);
    return (
      policy !== undefined &&
      !state.claims.has(issue.id) &&
      refusal(shownUnder(issue, policy), policy) === null &&
      refusal(shownUnder(issue, lane.policy), lane.policy) === null &&
      freeSlotsInState(state, lane, issue.state) > 0
    );
  }

  #forget(workflow: string): void {
    for (const key of this.#since.keys()) if (key.startsWith(`${workflow} `)) this.#since.delete(key);
  }
}

const LOOKED_AFTER: ReadonlySet<Event["type"]> = new Set([
  "polled",
  "revalidated",
  "exited",
  "configured",
  "misconfigured",
  "disk_checked",
  "ordered",
  "woke",
]);

/** A workflow that could start something if there were shared slots. */
function isServed(state: State, lane: Lane, at: Event["at"]): boolean {
  const own = [...state.claims.running.values()].filter(({ workflow }) => workflow === lane.policy.workflow);
  return own.length < lane.policy.agentsMax && lane.revalidateAt <= at && startGate(state, lane, at) === null;
}

/** Somebody has just changed it: what is known of it may be what it was. */
const isFresh = ({ updatedAt }: Placed, now: number): boolean => now - (updatedAt ?? 0) <= WAIT_MAX_MS;
