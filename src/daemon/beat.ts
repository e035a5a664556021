/** What the daemon tells of itself with every sign of life. */
import type { Instant, RunId, UnderWay } from "../domain/domain.ts";
import type { Beat, RunBeat, WorkflowBeat } from "../ledger/ledger.ts";
import { type Lane, scanEveryMs, startGate, type State } from "../scheduler/scheduler.ts";

/** Of a disk's or a tracker's own words, this is enough; the whole is in the log. */
const WORDS_MAX = 500;

/** Issues that are put off; more of them are the tracker's own trouble, which is told elsewhere. */
const DOUBTS_MAX = 50;

/** What a WORKFLOW.md says that is no business of the scheduler's. */
export interface KnownFile {
  readonly path: string;
  /** Why approvals are answered by nobody; null = somebody is there, or none is asked for. */
  readonly unanswered: string | null;
}

/** `files`: the WORKFLOW.md files, by the names of their workflows; `underWay`: what agents do, by their runs. */
export const beatOf = (
  state: State,
  now: Instant,
  stuck: string | null,
  files: ReadonlyMap<string, KnownFile>,
  pid: number,
  underWay: ReadonlyMap<RunId, readonly UnderWay[]> = new Map(),
): Beat => ({
  pid,
  phase: state.phase,
  stuck,
  ...(underWay.size === 0 ? {} : { underWay: workOf(underWay) }),
  workflows: [...state.workflows.values()].map((lane) =>
    workflowBeat(lane, files.get(lane.policy.workflow), startGate(state, lane, now)),
  ),
});

const workflowBeat = (
  { policy, pace, scan, broken, diskLow, limitSaidAt, revalidateAt, lookLater, doubts }: Lane,
  file: KnownFile | undefined,
  gate: string | null,
): WorkflowBeat => ({
  name: policy.workflow,
  path: file?.path ?? "",
  pollIntervalMs: scanEveryMs({ policy, pace }),
  ...(scan.paceSince === null ? {} : { paceSince: scan.paceSince }),
  ...(pace === null ? {} : { paced: { wishedMs: policy.pollIntervalMs, why: pace.why ?? "" } }),
  scannedAt: scan.at,
  scanError: short(scan.error),
  broken: short(broken),
  diskLow: short(diskLow),
  unanswered: short(file?.unanswered ?? null),
  limited: limitSaidAt !== null,
  ...(gate !== null && { gate: short(gate) ?? "" }),
  ...(lookLater !== null && { looks: { until: revalidateAt, why: short(lookLater) ?? "" } }),
  ...(doubts.size > 0 && {
    doubts: [...doubts].slice(0, DOUBTS_MAX).map(([id, of]) => ({ id, ...of, why: short(of.why) })),
  }),
  counts: scan.told,
});

/** What a daemon that has ended leaves of its signs of life. */
export const lastScans = (
  state: State,
): readonly { readonly workflow: string; readonly at: Instant; readonly everyMs: number }[] =>
  [...state.workflows.values()].flatMap(({ policy, pace, scan: { at } }) =>
    at === null ? [] : [{ workflow: policy.workflow, at, everyMs: scanEveryMs({ policy, pace }) }],
  );

const workOf = (underWay: ReadonlyMap<RunId, readonly UnderWay[]>): readonly RunBeat[] =>
  [...underWay].map(([run, work]) => ({ run, work }));

const short = (text: string | null): string | null => text?.slice(0, WORDS_MAX) ?? null;
