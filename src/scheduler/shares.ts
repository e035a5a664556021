/**
 * Whose turn it is when several workflows want the same slots: tickets are compared by priority and age over all of them,
 * and among equals the workflow comes first whose last start is the longest ago. Asked when contenders are chosen and
 * again when one of them could start, so that it does not matter which tracker answers first. Questions only.
 */
import { after, type Instant, type IssueId, type IssueSummary, type WorkflowName } from "../domain/domain.ts";
import { byPriorityAndAge, freeSlots, sharedSlots } from "./eligible.ts";
import { startGate } from "./gates.ts";
import { inLine } from "./line.ts";
import type { Lane, State } from "./state.ts";

/**
 * How long free slots are kept for a workflow that looks at its contenders without starting one: some dozens of requests
 * of a tracker that is well. After that the others come first, until it has nobody left to look at.
 */
export const KEPT_MS = 10_000;

/** How many of the free slots each workflow may fill now; one that may fill none is not in it. */
export function shares(state: State, at: Instant): ReadonlyMap<WorkflowName, number> {
  const given = new Map<WorkflowName, number>();
  const left = freeShared(state);
  if (left === 0) return given;
  const open = [...state.workflows.values()].filter((lane) => isOpen(state, lane, at));
  if (open.reduce((sum, lane) => sum + ownSlots(state, lane), 0) <= left || open.length === 1) {
    for (const lane of open) given.set(lane.policy.workflow, ownSlots(state, lane));
    return given;
  }
  const lines = open.map((lane) => new Line(lane, ownSlots(state, lane), inLine(state, lane, at), at));
  for (const { workflow } of allotted(lines, left, state.runsEver))
    given.set(workflow, (given.get(workflow) ?? 0) + 1);
  return given;
}

/** For whom of other workflows all the shared slots that are free are kept; empty = this ticket may have one. */
export function keptFor(state: State, lane: Lane, issue: IssueSummary, at: Instant): readonly Allotted[] {
  const others = [...state.workflows.values()].filter((other) => other !== lane && isOpen(state, other, at));
  if (others.length === 0) return [];
  const own = new Line(lane, 1, [issue], at);
  const lines = others.map((other) => new Line(other, ownSlots(state, other), inLine(state, other, at), at));
  const all = allotted([own, ...lines], freeShared(state), state.runsEver);
  return all.some((one) => one.issue.id === issue.id) ? [] : all;
}

/** A ticket for which a slot is meant. */
export interface Allotted {
  readonly issue: IssueSummary;
  readonly workflow: WorkflowName;
}

/** So many slots, each to the best ticket there is. */
function allotted(lines: readonly Line[], slots: number, runsEver: number): readonly Allotted[] {
  const given: Allotted[] = [];
  const taken = new Set<IssueId>();
  while (given.length < slots) {
    const [best] = lines.flatMap((line) => line.head(taken) ?? []).sort(byTurn);
    if (best === undefined) return given;
    const { line, issue } = best;
    taken.add(issue.id);
    given.push({ issue, workflow: line.workflow });
    // As if it had started: among equals its workflow is the last one now.
    line.served = runsEver + given.length;
    line.left -= 1;
  }
  return given;
}

/** When slots that are kept for a workflow go to the others; null = it looks at nobody. */
export const keptUntil = ({ lookingSince }: Lane): Instant | null =>
  lookingSince === null ? null : after(lookingSince, KEPT_MS);

const freeShared = (state: State): number => Math.max(0, sharedSlots(state) - state.claims.running.size);

/** Whether a workflow could start something, or is about to find out. */
const isOpen = (state: State, lane: Lane, at: Instant): boolean =>
  lane.revalidateAt <= at && ownSlots(state, lane) > 0 && startGate(state, lane, at) === null;

/** After a hold one run finds out whether the provider works again. */
const ownSlots = (state: State, lane: Lane): number =>
  Math.min(freeSlots(state, lane), lane.hold === null ? Number.POSITIVE_INFINITY : 1);

/** The first in line of a workflow. */
interface Head {
  readonly issue: IssueSummary;
  readonly line: Line;
}

function byTurn(a: Head, b: Head): number {
  return (
    Number(a.line.isLate) - Number(b.line.isLate) ||
    byPriorityAndAge(a.issue, b.issue) ||
    a.line.served - b.line.served
  );
}

/** Those of one workflow that want a slot. */
class Line {
  readonly workflow: WorkflowName;
  /** It has looked for so long that the others do not wait for it. */
  readonly isLate: boolean;
  /** The number of the last run of this workflow: the lowest has waited longest for its turn. */
  served: number;
  /** How many more runs it may have. */
  left: number;
  readonly #line: Iterator<IssueSummary, unknown>;
  #head: IssueSummary | null = null;

  constructor(lane: Lane, left: number, line: Iterable<IssueSummary>, at: Instant) {
    const until = keptUntil(lane);
    this.workflow = lane.policy.workflow;
    this.isLate = until !== null && until <= at;
    this.served = lane.served;
    this.left = left;
    this.#line = line[Symbol.iterator]();
  }

  /** Without those that have their slot already; null = nobody wants one, or may have one. */
  head(taken: ReadonlySet<IssueId>): Head | null {
    if (this.left <= 0) return null;
    while (this.#head === null || taken.has(this.#head.id)) {
      const next = this.#line.next();
      if (next.done === true) return null;
      this.#head = next.value;
    }
    return { issue: this.#head, line: this };
  }
}
