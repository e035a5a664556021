/**
 * What stands between a free slot and a start, and between two turns: pauses, holds, budgets, the disk. Questions only;
 * each answer is a sentence for people, so that "why is it not running" has the same answer everywhere.
 */
import { DAY_MS, EVERYTHING, instant, type Instant } from "../domain/domain.ts";
import type { Hold, HoldCause, Lane, State } from "./state.ts";

/** Days since the Unix epoch, in UTC. */
export const dayOf = (at: Instant): number => Math.floor(at / DAY_MS);

/** Midnight in UTC, after `at`. */
export const midnightAfter = (at: Instant): Instant => instant((dayOf(at) + 1) * DAY_MS);

/** Tokens used on the day of `at`. */
export const spentOn = (state: State, at: Instant): number =>
  state.spent.day === dayOf(at) ? state.spent.tokens : 0;

/** The daily limit in force: the smallest that any workflow sets; null = none. */
export function dayLimit(state: State): number | null {
  let limit: number | null = null;
  for (const { policy } of state.workflows.values()) {
    const own = policy.limits.maxTokensPerDay;
    if (own !== null && (limit === null || own < limit)) limit = own;
  }
  return limit;
}

/** Why this gate is shut, in words for people; null = it is open. */
type Question = (state: State, lane: Lane, at: Instant) => string | null;

/** What stands between two turns, in the order in which it is asked. */
const turnGates = {
  daemon: ({ phase }) => (phase === "serving" ? null : `Baton is ${phase}`),
  pause: (state, lane) => paused(state, lane),
  day: (state, _lane, at) => overDay(state, at),
  hold: (_state, lane, at) => refused(lane, at),
} satisfies Readonly<Record<string, Question>>;

/** What stands before a start, in the order in which it is asked. */
const startGates = {
  file: (_state, { broken }) =>
    broken === null ? null : `its WORKFLOW.md cannot be used since the last change: ${firstLine(broken)}`,
  disk: (_state, { diskLow }) => diskLow,
  codex: (_state, { fit }, at) =>
    fit.waitUntil === null || fit.waitUntil <= at
      ? null
      : "it is being seen whether Codex has what is needed",
  rates: (_state, { limitSaidAt }) => (limitSaidAt === null ? null : "the tracker's rate limit is used up"),
  ...turnGates,
  hold: (_state, lane, at) => held(lane, at),
  trial: (_state, lane) => onTrial(lane),
} satisfies Readonly<Record<string, Question>>;

/** The first problem of a file; the others are in the log, and in `baton validate`. */
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** A gate of a whole workflow, by name. */
export type LaneGate = keyof typeof startGates;

const entriesOf = <Name extends string>(
  gates: Readonly<Record<Name, Question>>,
): readonly (readonly [Name, Question])[] => Object.entries(gates) as [Name, Question][];

// Asked after every event: the lists are made once.
const forTurn = entriesOf(turnGates);
const forStart = entriesOf(startGates);

function firstShut(gates: typeof forTurn | typeof forStart, ...asked: Parameters<Question>): string | null {
  for (const [, ask] of gates) {
    const why = ask(...asked);
    if (why !== null) return why;
  }
  return null;
}

/** Why no turn may begin in this workflow now (I8 of docs/ARCHITECTURE.md); null = it may. */
export const turnGate = (state: State, lane: Lane, at: Instant): string | null =>
  firstShut(forTurn, state, lane, at);

/** Why no run may start in this workflow now; null = one may. */
export const startGate = (state: State, lane: Lane, at: Instant): string | null =>
  firstShut(forStart, state, lane, at);

/** Every gate that a start has to pass, each with why it is shut; null = it is open. */
export const laneGates = (
  state: State,
  lane: Lane,
  at: Instant,
): readonly (readonly [LaneGate, string | null])[] =>
  forStart.map(([name, ask]) => [name, ask(state, lane, at)]);

function paused(state: State, { policy }: Lane): string | null {
  const pause = state.pauses.get(EVERYTHING) ?? state.pauses.get(policy.workflow);
  return pause === undefined ? null : `it is paused: ${pause.why}`;
}

function overDay(state: State, at: Instant): string | null {
  const limit = dayLimit(state);
  if (limit === null || spentOn(state, at) < limit) return null;
  return `today's ${limit} tokens are used up (limits.max_tokens_per_day)`;
}

/** What keeps runs from beginning need not hurt those that have begun; a provider that takes no work does. */
const refused = (lane: Lane, at: Instant): string | null =>
  lane.hold?.cause === "provider" ? held(lane, at) : null;

const held = ({ hold }: Lane, at: Instant): string | null =>
  hold !== null && (hold.until > at || isUnfit(hold)) ? `${HELD[hold.cause]}: ${hold.why}` : null;

/** That Codex lacks something no run need find out: it is looked at again (fit.ts), and until then no time ends this. */
export const isUnfit = ({ kind }: Hold): boolean => kind === "codex_unfit";

const HELD: Readonly<Record<HoldCause, string>> = {
  provider: "the provider takes no work",
  installation: "no run can begin here",
  systemic: "several runs in a row failed alike",
};

/** After a hold one run at a time finds out whether it is over. */
const onTrial = ({ hold }: Lane): string | null =>
  hold !== null && hold.trial !== null ? `one run tries whether this is over: ${hold.why}` : null;

/** When any of these gates opens by itself. */
export const gateDeadlines = (state: State, now: Instant): readonly (Instant | null)[] => [
  ...[...state.pauses.values()].map(({ until }) => until),
  ...[...state.workflows.values()].map(({ hold }) => hold?.until ?? null),
  dayLimit(state) === null ? null : midnightAfter(now),
];
