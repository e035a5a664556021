/** Why there is no slot for what could start, in words for people. The one place that knows all that slots are limited by. */
import { type Instant, type IssueSummary, stateKey } from "../domain/domain.ts";
import { about, put, say } from "./change.ts";
import type { Decision } from "./effects.ts";
import { freeSlots, freeSlotsInState, sharedSlots } from "./eligible.ts";
import { startGate } from "./gates.ts";
import { keptFor } from "./shares.ts";
import type { Lane, State } from "./state.ts";

/** Which cap stands in the way of a start: of the state, of the workflow, of all workflows; null = there is a slot. */
export function noSlot(state: State, lane: Lane, issue: IssueSummary, at: Instant): string | null {
  const { agentsMax, agentsMaxByState, workflow } = lane.policy;
  if (freeSlots(state, lane) === 0) {
    const own = [...state.claims.running.values()].filter((claim) => claim.workflow === workflow).length;
    return own >= agentsMax
      ? `workflow "${workflow}" has ${own} of ${agentsMax} runs (agent.max_concurrent_agents)`
      : `all ${sharedSlots(state)} slots that the workflows share are taken (the highest agent.max_concurrent_agents)`;
  }
  if (freeSlotsInState(state, lane, issue.state) === 0) {
    const max = agentsMaxByState.get(stateKey(issue.state)) ?? 0;
    return `workflow "${workflow}" has as many runs in "${issue.state}" as it may have: ${max} (agent.max_concurrent_agents_by_state)`;
  }
  const [first] = keptFor(state, lane, issue, at);
  return first === undefined
    ? null
    : `the slots that are free are for tickets that come first: ${first.issue.identifier} of workflow "${first.workflow}"`;
}

/** What is due and has no slot says so, once, with its claim: whoever reads the ledger sees what it waits for. */
export const sayNoSlots = (sofar: Decision, at: Instant): Decision =>
  sofar.state.claims.due(at).reduce((next, claim) => {
    const lane = next.state.workflows.get(claim.workflow);
    if (claim.slot !== undefined || lane === undefined || startGate(next.state, lane, at) !== null)
      return next;
    const why = noSlot(next.state, lane, claim.issue, at);
    if (why === null) return next;
    return put(say(next, at, about(claim), { type: "slot_awaited", why }), { ...claim, slot: why }, at);
  }, sofar);
