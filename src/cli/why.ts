/**
 * Why a ticket is, or is not, worked on: the tracker is asked for it as it is now, the ledger and the daemon's sign of life
 * say the rest, and the scheduler's own questions are put to all of it. Needs no daemon; what cannot be asked is said.
 */
import { resolve } from "node:path";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { policyOf, recover } from "../daemon/daemon.ts";
import { instant, type Instant, type Issue, issueId, type IssueId, type Workflow } from "../domain/domain.ts";
import { type Beat, lastHolder, type Saved } from "../ledger/ledger.ts";
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
import { loadWorkflow } from "../workflow/workflow.ts";
import type { LedgerChoice } from "./ledger-at.ts";
import type { Server } from "./status.ts";

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
  const paths = workflowsOf(ledger, choice);
  if (paths.length === 0)
    notAsked.push(
      "The tracker was not asked: no daemon has named its workflows here, and there is no WORKFLOW.md. Run this where the WORKFLOW.md is.",
    );
  const found = paths.flatMap((path) => {
    const workflow = loaded(path, notAsked);
    return workflow === null ? [] : [workflow];
  });
  const seen = new Map<Workflow, Issue | "gone" | "unknown">();
  for (const { workflow, canAsk } of found)
    seen.set(workflow, canAsk && asked.env !== null ? await ask(workflow, id ?? name, notAsked) : "unknown");
  const known = [...seen.values()].find((issue) => typeof issue !== "string");
  const issue = known ?? [...seen.values()].find((one) => one === "gone") ?? "unknown";
  const wanted = known?.id ?? id ?? issueId(name);
  const state = stateOf(saved, server, [...seen.keys()], now);
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

/** The file that was named, else those of the daemon that has or had the ledger, else the usual one. */
function workflowsOf(ledger: string, { workflowFile }: LedgerChoice): readonly string[] {
  if (workflowFile !== undefined) return [resolve(workflowFile)];
  const last = lastHolder(ledger)?.workflows ?? [];
  if (last.length > 0) return last;
  const usual = resolve("WORKFLOW.md");
  return existsSync(usual) ? [usual] : [];
}

interface Found {
  readonly workflow: Workflow;
  /** False: a key or another variable is not set here. */
  readonly canAsk: boolean;
}

function loaded(path: string, notAsked: string[]): Found | null {
  const now = loadWorkflow(path, process.env, homedir());
  if (now.ok) return { workflow: now.workflow, canAsk: true };
  // Its policy needs no key: variables that are not set here are stood in for, and nothing is asked with them.
  const without = loadWorkflow(path, standIns, homedir());
  notAsked.push(`The tracker was not asked. ${now.error.message}`);
  return without.ok ? { workflow: without.workflow, canAsk: false } : null;
}

/** A value for each variable that is not set; a file that would hold one is not looked for. */
const standIns = new Proxy(process.env, {
  get: (env, name) => (String(name).endsWith("_FILE") ? undefined : env[String(name)] || "not-set"),
});

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

/** What a daemon knows, or would know when it starts: the ledger's part, and of the rest what its sign of life says. */
export function stateOf(
  saved: Saved,
  { health, heartbeat, holder }: Server,
  workflows: readonly Workflow[],
  now: Instant,
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
    const told =
      of === undefined
        ? {}
        : {
            broken: of.broken,
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
