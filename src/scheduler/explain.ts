/**
 * Why an issue is, or is not, worked on: every gate between it and a start, each with what decided. Asks the very
 * questions that dispatch asks, so that it cannot say another thing than `decide` does (explain.property.test.ts).
 */
import {
  EVERYTHING,
  type Instant,
  type Issue,
  type IssueId,
  type IssueSummary,
  stateKey,
  type WorkflowName,
} from "../domain/domain.ts";
import { tallyOf } from "./change.ts";
import {
  gatesOf,
  isTerminal,
  type IssueGate,
  type Slots,
  slotsInState,
  slotsOf,
  slotsOfAll,
} from "./eligible.ts";
import { isPutOff } from "./doubts.ts";
import { dayLimit, isUnfit, type LaneGate, laneGates, midnightAfter, spentOn } from "./gates.ts";
import { lookGate } from "./looks.ts";
import { limitReached } from "./parking.ts";
import { keptFor } from "./shares.ts";
import type { Claim, Doubt, Lane, Policy, State } from "./state.ts";

export type GateName =
  | "workflow"
  | "visible"
  | IssueGate
  | "claim"
  | "look"
  | "limits"
  | LaneGate
  | "slots"
  | "workflow slots"
  | "state slots"
  | "turn";

/** One thing that may stand in the way. */
export interface Gate {
  readonly name: GateName;
  /** Null = nobody could be asked. */
  readonly open: boolean | null;
  /** What decided: the value where it is open, why not where it is shut. */
  readonly value: string;
  /** When it opens by itself, if that is known. */
  readonly opensAt: Instant | null;
  /** Of the state: it is one that ends the work. */
  readonly isEnd?: true;
}

export interface Explanation {
  /** In the order in which they are asked. */
  readonly gates: readonly Gate[];
  /** The whole in one sentence. */
  readonly verdict: string;
}

export interface Asked {
  readonly workflow: WorkflowName;
  readonly id: IssueId;
  /** As the tracker has it now; `gone` = it shows none; `unknown` = it could not be asked. */
  readonly issue: Issue | "gone" | "unknown";
}

/** Every gate is open exactly when the issue is looked at, at this instant, and that starts a run of it. */
export function explain(state: State, asked: Asked, at: Instant): Explanation {
  const { workflow, id, issue } = asked;
  const lane = state.workflows.get(workflow);
  if (lane === undefined) {
    const gate = {
      name: "workflow",
      open: false,
      value: `no workflow is called "${workflow}" here`,
    } as const;
    return { gates: [{ ...gate, opensAt: null }], verdict: `It does not start: ${gate.value}.` };
  }
  const claim = state.claims.get(id);
  const gates = [
    ...issueGates(issue, lane.policy),
    claimGate(claim, workflow, at),
    lookGateOf(lane, id, at),
    limitsGate(state, lane.policy, id),
    ...workflowGates(state, lane, at),
    ...slotGates(state, lane, typeof issue === "string" ? (claim?.issue.state ?? null) : issue.state),
    ...turnGates(state, lane, typeof issue === "string" ? claim?.issue : issue, at),
  ];
  return { gates, verdict: verdictOn(gates, claim, workflow) };
}

const gate = (name: GateName, why: string | null, value: string, opensAt: Instant | null = null): Gate => ({
  name,
  open: why === null,
  value: why ?? value,
  opensAt: why === null ? null : opensAt,
});

const NOT_ASKED = "the tracker was not asked";

/** Those that only a look at the issue answers. */
const issueGateNames = ["name", "state", "dispatchable", "label", "blockers"] as const satisfies IssueGate[];

function issueGates(issue: Asked["issue"], policy: Policy): readonly Gate[] {
  if (issue === "gone") return [gate("visible", "the tracker shows no such issue to this key", "")];
  if (issue === "unknown")
    return (["visible", ...issueGateNames] as const).map((name) => ({
      name,
      open: null,
      value: NOT_ASKED,
      opensAt: null,
    }));
  const values = issueValues(issue, policy);
  return [
    gate("visible", null, "the tracker shows it"),
    ...gatesOf(issue, policy).map(([name, why]) => ({
      ...gate(name, why, values[name]),
      ...(name === "state" && isTerminal(issue, policy) && { isEnd: true as const }),
    })),
  ];
}

/** What is there where nothing stands in the way. */
const issueValues = (issue: Issue, policy: Policy): Readonly<Record<IssueGate, string>> => ({
  name: issue.identifier,
  state: `"${issue.state}" is an active state`,
  dispatchable:
    "it is in this workflow's project, neither archived nor in the trash, nor kept for somebody else",
  label:
    policy.requiredLabels.length === 0
      ? "none is required"
      : `it has ${policy.requiredLabels.map((label) => `"${label}"`).join(", ")}`,
  blockers: blockersWords(issue),
});

function blockersWords({ blockedBy, state }: Issue): string {
  if (blockedBy.length === 0) return "none";
  const each = blockedBy.map(
    ({ identifier, id, state: of }) => `${identifier ?? id ?? "an unknown issue"} is "${of ?? "?"}"`,
  );
  // SPEC 8.2: only what has not begun is held back.
  const rule = stateKey(state) === "todo" ? "" : ` (they do not count in "${state}")`;
  return `${each.join(", ")}${rule}`;
}

/** A start takes an issue that nobody holds, or one whose time to wait is over. */
function claimGate(claim: Claim | undefined, workflow: WorkflowName, at: Instant): Gate {
  if (claim === undefined) return gate("claim", null, "nothing holds it");
  if (claim.workflow !== workflow) return gate("claim", `workflow "${claim.workflow}" has it`, "");
  switch (claim.phase) {
    case "running":
      return gate("claim", `${claim.run.id} works on it`, "");
    case "waiting": {
      const why = claim.retryAt > at ? `it waits for its next run: ${claim.why}` : null;
      return gate("claim", why, "its time to wait is over", claim.retryAt);
    }
    case "parked":
      return gate("claim", `it is parked (${claim.reason}): ${claim.why}`, "");
  }
}

/** Nobody starts who is not looked at: the issue alone may be put off, or every look of its workflow. */
function lookGateOf(lane: Lane, id: IssueId, at: Instant): Gate {
  const doubt = lane.doubts.get(id);
  if (doubt !== undefined && isPutOff(lane, id, at)) return gate("look", seenWords(doubt), "", doubt.again);
  return gate("look", lookGate(lane, at), "nothing puts a look at it off", lane.revalidateAt);
}

function seenWords({ why, times }: Doubt): string {
  if (why === null) return "the last answer left it out, and it is asked for once more";
  const often = times === 1 ? "the last time" : `${times} times in a row`;
  return `it could not be read ${often}, and is asked for again by itself: ${why}`;
}

function limitsGate(state: State, policy: Policy, id: IssueId): Gate {
  const tally = tallyOf(state, id);
  const { limits } = policy;
  const value = [
    `${tally.runs} of ${limits.maxRunsPerIssue + tally.extraRuns} runs`,
    `${tally.failures} of ${limits.maxFailures} failures in a row`,
    `${tally.idle} of ${limits.maxIdleRuns} runs without a change`,
    `${tally.tokens.total} of ${limits.maxTokensPerIssue + tally.extraTokens} tokens`,
  ].join(", ");
  return gate("limits", limitReached(tally, policy)?.why ?? null, value);
}

function workflowGates(state: State, lane: Lane, at: Instant): readonly Gate[] {
  const values = laneValues(state, lane, at);
  return laneGates(state, lane, at).map(([name, why]) =>
    gate(name, why, values[name].open, values[name].opensAt ?? null),
  );
}

/** What is there where nothing stands in the way; and when what stands there goes by itself. */
function laneValues(
  state: State,
  { policy, hold, fit }: Lane,
  at: Instant,
): Readonly<Record<LaneGate, { readonly open: string; readonly opensAt?: Instant | null }>> {
  const pause = state.pauses.get(EVERYTHING) ?? state.pauses.get(policy.workflow);
  const max = dayLimit(state);
  const used = `${spentOn(state, at)} tokens used today`;
  return {
    file: { open: "its WORKFLOW.md is in force" },
    disk: { open: "it takes work" },
    codex: { open: "nothing is known that it lacks", opensAt: fit.waitUntil },
    rates: { open: "not used up" },
    daemon: { open: "Baton is serving" },
    pause: { open: "none", opensAt: pause?.until ?? null },
    day: { open: max === null ? `${used}, no limit` : `${used} of ${max}`, opensAt: midnightAfter(at) },
    hold: { open: "none", opensAt: hold === null || isUnfit(hold) ? null : hold.until },
    trial: { open: "none is under way" },
  };
}

function slotGates(state: State, lane: Lane, issueState: string | null): readonly Gate[] {
  const inState = issueState === null ? null : slotsInState(state, lane, issueState);
  return [
    slotGate("slots", slotsOfAll(state), "slots of all workflows"),
    slotGate("workflow slots", slotsOf(state, lane), "slots of this workflow (agent.max_concurrent_agents)"),
    ...(inState === null
      ? []
      : [
          slotGate(
            "state slots",
            inState,
            `slots for "${issueState}" (agent.max_concurrent_agents_by_state)`,
          ),
        ]),
  ];
}

function slotGate(name: GateName, { used, max }: Slots, what: string): Gate {
  if (max === Number.POSITIVE_INFINITY) return gate(name, null, "no limit for this state");
  const words = `${used} of ${max} ${what} in use`;
  return gate(name, used >= max ? words : null, words);
}

/** Where several workflows share the slots: whether those that are free are kept for tickets of others. */
function turnGates(state: State, lane: Lane, issue: IssueSummary | undefined, at: Instant): readonly Gate[] {
  if (state.workflows.size === 1 || issue === undefined) return [];
  const [first] = keptFor(state, lane, issue, at);
  const why =
    first === undefined
      ? null
      : `the slots that are free are kept for ${first.issue.identifier} of workflow "${first.workflow}", which comes first`;
  return [gate("turn", why, "no ticket of another workflow comes first")];
}

function verdictOn(gates: readonly Gate[], claim: Claim | undefined, workflow: WorkflowName): string {
  if (claim?.phase === "running" && claim.workflow === workflow) return `It runs now (${claim.run.id}).`;
  const shut = gates.filter(({ open }) => open === false);
  const [first, ...more] = shut;
  if (first !== undefined) {
    const also = more.length === 0 ? "" : ` Also: ${more.map(({ value }) => clause(value)).join("; ")}.`;
    return `It does not start: ${clause(first.value)}.${also}`;
  }
  if (gates.some(({ open }) => open === null))
    return "Nothing that is known stands in its way; the tracker could not be asked.";
  return "Nothing stands in its way: it starts when its turn comes, by priority and age.";
}

/** Without the full stop that a sentence of its own has. */
const clause = (text: string): string => text.replace(/\.$/, "");
