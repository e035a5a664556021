/** Every named point of a daemon's life. A record or a kind of work that is not here does not compile. */
import type { Kind, Moment, Point, StartStep } from "../../../src/daemon/failpoints.ts";

const moments = ["before commit", "after commit", "after effect"] as const satisfies readonly Moment[];

/** What has to happen for each to come about: see killed-at-points.ts. */
export type Provocation =
  /** It happens in every life. */
  | "nothing"
  /** It happens at the start only: the daemon has to be told before. */
  | "a start"
  | "a new ticket"
  | "a ticket whose turns end"
  | "a ticket that is closed under its agent"
  | "a refusal of the provider"
  | "a blocked ticket"
  | "an order"
  | "many tokens"
  | "a stop";

const provocations = {
  claim: "a new ticket",
  unclaim: "a ticket that is closed under its agent",
  tally: "a new ticket",
  run_started: "a new ticket",
  run_launched: "a new ticket",
  thread_opened: "a new ticket",
  turn_started: "a new ticket",
  turn_ended: "a ticket whose turns end",
  usage: "a ticket whose turns end",
  hold: "a refusal of the provider",
  refusals: "a blocked ticket",
  pause: "an order",
  order_done: "an order",
  run_ended: "a ticket that is closed under its agent",
  poll: "nothing",
  revalidate: "a new ticket",
  sweep: "a start",
  examine: "a start",
  remove: "a ticket that is closed under its agent",
  start: "a new ticket",
  turn: "a new ticket",
  check: "a ticket whose turns end",
  pulse: "nothing",
  steer: "many tokens",
  stop: "a ticket that is closed under its agent",
  exit: "a stop",
} as const satisfies Record<Kind, Provocation>;

const startSteps = {
  "lock taken": true,
  "ledger opened": true,
  "survivors ended": true,
  "recovery committed": true,
  "first polls begun": true,
} as const satisfies Record<StartStep, true>;

export interface PointOfLife {
  readonly point: Point;
  readonly by: Provocation;
}

export const points: readonly PointOfLife[] = [
  ...namesOf(startSteps).map((step): PointOfLife => ({ point: `start: ${step}`, by: "a start" })),
  ...namesOf(provocations).flatMap((kind) =>
    moments.map((moment): PointOfLife => ({ point: `${kind}: ${moment}`, by: provocations[kind] })),
  ),
];

function namesOf<T extends string>(of: Readonly<Record<T, unknown>>): readonly T[] {
  return Object.keys(of) as T[];
}
