/** What runs spend: counted once (I6 of docs/ARCHITECTURE.md), and brought to an end before and at an issue's limit. */
import {
  addTokens,
  failure,
  highWater,
  type Instant,
  noTokens,
  spentSince,
  type ThreadId,
  type Tokens,
} from "../domain/domain.ts";
import { about, record, say, tallyOf, update, withState, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { NewsOf } from "./events.ts";
import { dayLimit, dayOf, midnightAfter, spentOn } from "./gates.ts";
import { succeeded } from "./holds.ts";
import { end } from "./running.ts";
import type { Policy, Running } from "./state.ts";

/** From this share of an issue's tokens on, the agent is asked to commit, write down where it is, and stop. */
const LANDING_SHARE = 0.8;

/**
 * Totals only grow (I6): what a report has on top of its thread's mark is what was spent since. Agents of the model's own
 * are threads beside the run's own, and what they spend is the issue's like anything else.
 */
export function usage(sofar: Decision, claim: Running, event: NewsOf<"usage">, policy: Policy): Decision {
  // A resumed thread may repeat its total before the first turn. A run without a turn leaves no mark (settle.ts), so
  // what it counted would be counted again by the next one; the first report of a turn has it all.
  if (claim.thread === null || claim.turns === 0) return sofar;
  const mark = markOf(claim, event);
  const spent = spentSince(event.total, mark);
  if (spent.total === 0 && spent.input === 0 && spent.output === 0) return sofar;
  const total = highWater(event.total, mark);
  const next: Running = {
    ...withMark(claim, event.threadId, total),
    tokens: addTokens(claim.tokens, spent),
  };
  const recorded = record(update(spend(sofar, spent.total, event.at), next), {
    type: "usage",
    runId: claim.run.id,
    issueId: claim.issue.id,
    threadId: event.threadId,
    total,
    run: next.tokens,
    at: event.at,
  });
  const told = say(recorded, event.at, about(next), { type: "usage", total: next.tokens });
  return land(succeeded(told, next, "answered", event.at), next, policy, event.at);
}

function markOf({ thread, threadTotal, children = [] }: Running, event: NewsOf<"usage">): Tokens {
  if (event.threadId === thread) return threadTotal;
  const mark = children.find((child) => child.thread === event.threadId)?.total ?? noTokens;
  return highWater(mark, event.known ?? noTokens);
}

function withMark(claim: Running, thread: ThreadId, total: Tokens): Running {
  if (thread === claim.thread) return { ...claim, threadTotal: total };
  const others = (claim.children ?? []).filter((child) => child.thread !== thread);
  return { ...claim, children: [...others, { thread, total }] };
}

/** At most of the issue's tokens the agent is asked to come to an end; at all of them it is interrupted. */
function land(sofar: Decision, claim: Running, policy: Policy, at: Instant): Decision {
  const max = tokensMaxOf(sofar, claim, policy);
  const used = max - tokensLeft(sofar, claim, policy);
  if (used >= max) {
    const why = failure(
      "limit_reached",
      `The issue has used up its ${max} tokens (limits.max_tokens_per_issue).`,
    );
    return end(sofar, claim, { outcome: "canceled", failure: why }, at);
  }
  if (claim.landing || claim.step !== "turn" || used < max * LANDING_SHARE) return sofar;
  const told = say(sofar, at, about(claim), { type: "agent_steered", used, max });
  return work(update(told, { ...claim, landing: true }), { type: "steer", runId: claim.run.id, used, max });
}

/** Adds to what the day has used. The first tokens of a new day start its count. */
function spend(sofar: Decision, tokens: number, at: Instant): Decision {
  const before = spentOn(sofar.state, at);
  const next = withState(sofar, { spent: { day: dayOf(at), tokens: before + tokens } });
  const max = dayLimit(sofar.state);
  if (max === null || before >= max || before + tokens < max) return next;
  const until = midnightAfter(at);
  return say(next, at, {}, { type: "day_limit_reached", used: before + tokens, max, until });
}

const tokensMaxOf = (sofar: Decision, claim: Running, policy: Policy): number =>
  policy.limits.maxTokensPerIssue + tallyOf(sofar.state, claim.issue.id).extraTokens;

export const tokensLeft = (sofar: Decision, claim: Running, policy: Policy): number =>
  tokensMaxOf(sofar, claim, policy) - tallyOf(sofar.state, claim.issue.id).tokens.total - claim.tokens.total;
