/**
 * Why a ticket is, or is not, worked on: the tracker is asked for it as it is now, the ledger and the daemon's sign of life
 * say the rest, and the scheduler's own questions are put to all of it. Needs no daemon; what cannot be asked is said.
 */
import { policyOf, recover } from "../daemon/daemon.ts";
import {
  instant,
  type Instant,
  type Issue,
  issueId,
  type IssueId,
  type Workflow,
  type WorkflowName,
} from "../domain/domain.ts";
import { type Beat, type Saved } from "../ledger/ledger.ts";
import {
  Claims,
  decide,
  explain,
  type Explanation,
  initialState,
  PersistentMap,
  type State,
} from "../scheduler/scheduler.ts";
import { type Tracker, trackerOpener } from "../tracker/tracker.ts";
import type { LedgerChoice } from "./ledger-at.ts";
import type { Server } from "./status.ts";
import { filesOf } from "./why-files.ts";

/** A person waits. */
const ASK_MS_MAX = 8_000;

/** What one workflow says of the ticket. */
export interface Reason {
  readonly workflow: string;
  readonly path: string;
  readonly explanation: Explanation;
}

export interface Why {
  /** As the tracker has it now. */
  readonly issue: Issue | "gone" | "unknown";
  /** By whom it was asked for; the first is the one that is nearest to taking it. */
  readonly reasons: readonly Reason[];
  /** What could not be asked, and why. */
  readonly notAsked: readonly string[];
}

export interface WhyAsked {
  readonly ledger: string;
  readonly choice: LedgerChoice;
  /** As a person names it. */
  readonly name: string;
  /** Null = the ledger does not know it. */
  readonly id: IssueId | null;
  readonly saved: Saved;
  readonly server: Server;
  readonly now: Instant;
  /** Null = the tracker is not to be asked. */
  readonly env: Readonly<Record<string, string | undefined>> | null;
}

/** Never rejects for a tracker or a workflow file that is no good: that is an answer too. */
export async function whyOf(asked: WhyAsked): Promise<Why> {
  const { ledger, choice, name, id, saved, server, now } = asked;
  const notAsked: string[] = [];
  const found = await filesOf(ledger, choice, notAsked);
  const seen = new Map<Workflow, Issue | "gone" | "unknown">();
  for (const { workflow, canAsk } of found)
    seen.set(workflow, canAsk && asked.env !== null ? await ask(workflow, id ?? name, notAsked) : "unknown");
  const known = [...seen.values()].find((issue) => typeof issue !== "string");
  const issue = known ?? [...seen.values()].find((one) => one === "gone") ?? "unknown";
  const wanted = known?.id ?? id ?? issueId(name);
  const broken = new Map(found.map(({ workflow, broken: why }) => [workflow.settings.name, why]));
  const state = stateOf(saved, server, [...seen.keys()], now, broken);
  const reasons = [...seen].map(([workflow, as]) => ({
    workflow: workflow.settings.name,
    path: workflow.path,
    explanation: explain(state, { workflow: workflow.settings.name, id: wanted, issue: as }, now),
  }));
  const holder = state.claims.get(wanted)?.workflow ?? null;
  const rank = ({ workflow, explanation }: Reason): number =>
    workflow === holder ? -1 : explanation.gates.filter(({ open }) => open !== true).length;
  return { issue, reasons: reasons.sort((a, b) => rank(a) - rank(b)), notAsked };
}

async function ask(
  workflow: Workflow,
  name: string,
  notAsked: string[],
): Promise<Issue | "gone" | "unknown"> {
  const { tracker: settings, name: of } = workflow.settings;
  const signal = AbortSignal.timeout(ASK_MS_MAX);
  try {
    const open = trackerOpener(() => instant(Date.now()));
    return (await found(open(settings, { rates: () => {}, rejected: () => {} }), name, signal)) ?? "gone";
  } catch (error) {
    notAsked.push(
      `The tracker of ${of} could not be asked: ${error instanceof Error ? error.message : String(error)}`,
    );
    return "unknown";
  }
}

async function found(tracker: Tracker, name: string, signal: AbortSignal): Promise<Issue | null> {
  if (tracker.find !== undefined) return tracker.find(name, signal);
  return (await tracker.issues([issueId(name)], signal))[0] ?? null;
}

/**
 * What a daemon knows, or would know when it starts: the ledger's part, and of the rest what its sign of life says.
 * `broken`: what is wrong with the files of these workflows, where nobody has said so yet.
 */
export function stateOf(
  saved: Saved,
  { health, heartbeat, holder }: Server,
  workflows: readonly Workflow[],
  now: Instant,
  broken: ReadonlyMap<WorkflowName, string | null> = new Map(),
): State {
  const beat = heartbeat?.beat ?? null;
  const isServed = holder !== null && health.state !== "down";
  const restored = recover(saved, now).state;
  // What an ended process had running waits; what a live one has running runs.
  const known: State = isServed
    ? {
        ...restored,
        claims: Claims.of(saved.claims),
        tallies: PersistentMap.of(saved.tallies),
        holds: saved.holds,
      }
    : restored;
  const configured = workflows.reduce(
    (state, workflow) => decide(state, { type: "configured", policy: policyOf(workflow), at: now }).state,
    { ...known, phase: initialState.phase },
  );
  const lanes = [...configured.workflows].map(([name, lane]) => {
    const of = beat?.workflows.find((one) => one.name === name);
    const noFile = broken.get(name) ?? null;
    const told =
      of === undefined
        ? { broken: noFile }
        : {
            broken: of.broken ?? noFile,
            diskLow: of.diskLow,
            limitSaidAt: of.limited ? now : null,
            doubts: new Map((of.doubts ?? []).map(({ id, ...doubt }) => [id, doubt])),
            revalidateAt: of.looks?.until ?? lane.revalidateAt,
            lookLater: of.looks?.why ?? null,
          };
    // A live daemon has the hold that it wrote down, whatever these settings would make of it.
    const hold = isServed ? (saved.holds.get(name) ?? null) : lane.hold;
    // Whether Codex is being looked at now, which takes a moment at a start, only the daemon knows.
    const fit = { ...lane.fit, waitUntil: null };
    return [name, { ...lane, fit, ...told, hold }] as const;
  });
  return { ...configured, workflows: new Map(lanes), phase: isServed ? phaseOf(beat) : "stopped" };
}

const phaseOf = (beat: Beat | null): State["phase"] => beat?.phase ?? "serving";
