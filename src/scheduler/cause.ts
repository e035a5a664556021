/** Why a run begins, in the agent's eyes: what happened since the last one of its issue. */
import { type Cause, type Instant, type Issue, stateKey } from "../domain/domain.ts";
import type { LastRun, Tally } from "./tally.ts";

/** What the next run of the issue is begun for. True also where several things happened: the one that says most. */
export function causeOf({ last }: Tally, issue: Issue): Cause {
  if (last === null) return { type: "first" };
  if (last.state !== null && isGivenBack(last, issue))
    return { type: "given_back", state: issue.state, before: last.state };
  if (last.released !== null) return { type: "released", parked: last.released };
  if (last.outcome === "lost" || last.outcome === "interrupted") return { type: "restarted" };
  if (last.why !== null) return { type: "retried", why: last.why };
  return { type: "continued", turns: last.turns };
}

/**
 * The state that the issue's prompt is compared in: where its agent has moved it since the prompt was told, the prompt is
 * no other.
 */
export const stateToTell = (tally: Tally, issue: Issue): string =>
  tally.told === null || isGivenBack(tally.last, issue) ? issue.state : tally.told.state;

/**
 * Somebody has set its state since the last run ended. What was changed before that was the agent's doing, although nobody
 * had seen it yet: it was at work then.
 */
const isGivenBack = (last: LastRun | null, { state, updatedAt }: Issue): boolean =>
  last !== null &&
  last.state !== null &&
  stateKey(state) !== stateKey(last.state) &&
  (updatedAt === null || updatedAt > last.at);

/** The last run with its issue in the state in which it was let go of, when that is another than it left it in. */
export const seenLeft = ({ last }: Tally, state: string, at: Instant): LastRun | null =>
  last === null || (last.state !== null && stateKey(last.state) === stateKey(state))
    ? null
    : { ...last, state, at };
