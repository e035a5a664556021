/** What the daemon tells of itself with every sign of life. */
import type { RunId, UnderWay } from "../domain/domain.ts";
import type { Beat, RunBeat } from "../ledger/ledger.ts";
import { scanEveryMs, type State } from "../scheduler/scheduler.ts";

/** Of a disk's or a tracker's own words, this is enough; the whole is in the log. */
const WORDS_MAX = 500;

/** What a WORKFLOW.md says that is no business of the scheduler's. */
export interface KnownFile {
  readonly path: string;
  /** Why approvals are answered by nobody; null = somebody is there, or none is asked for. */
  readonly unanswered: string | null;
}

/** `files`: the WORKFLOW.md files, by the names of their workflows; `underWay`: what agents do, by their runs. */
export const beatOf = (
  state: State,
  stuck: string | null,
  files: ReadonlyMap<string, KnownFile>,
  pid: number,
  underWay: ReadonlyMap<RunId, readonly UnderWay[]> = new Map(),
): Beat => ({
  pid,
  phase: state.phase,
  stuck,
  ...(underWay.size === 0 ? {} : { underWay: workOf(underWay) }),
  workflows: [...state.workflows.values()].map(({ policy, pace, scan, broken, diskLow, limitSaidAt }) => ({
    name: policy.workflow,
    path: files.get(policy.workflow)?.path ?? "",
    pollIntervalMs: scanEveryMs({ policy, pace }),
    ...(scan.paceSince === null ? {} : { paceSince: scan.paceSince }),
    ...(pace === null ? {} : { paced: { wishedMs: policy.pollIntervalMs, why: pace.why ?? "" } }),
    scannedAt: scan.at,
    scanError: short(scan.error),
    broken: short(broken),
    diskLow: short(diskLow),
    unanswered: short(files.get(policy.workflow)?.unanswered ?? null),
    limited: limitSaidAt !== null,
    counts: scan.told,
  })),
});

const workOf = (underWay: ReadonlyMap<RunId, readonly UnderWay[]>): readonly RunBeat[] =>
  [...underWay].map(([run, work]) => ({ run, work }));

const short = (text: string | null): string | null => text?.slice(0, WORDS_MAX) ?? null;
