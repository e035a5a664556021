/** Rows of holds, pauses and spending as the scheduler knows them. */
import {
  DAY_MS,
  EVERYTHING,
  instant,
  type PauseScope,
  runId,
  workflowName,
  type WorkflowName,
} from "../domain/domain.ts";
import type { Hold, Pause, Spent } from "../scheduler/scheduler.ts";

export interface HoldColumns {
  readonly workflow: string;
  readonly why: string;
  readonly until: number;
  readonly refusals: number;
  readonly probe: string | null;
}

export interface PauseColumns {
  readonly scope: string;
  readonly why: string;
  readonly since: number;
  readonly until: number | null;
}

export interface SpentColumns {
  /** `2031-05-09`. */
  readonly day: string;
  readonly tokens: number;
}

export const holdOf = ({ workflow, why, until, refusals, probe }: HoldColumns): [WorkflowName, Hold] => [
  workflowName(workflow),
  { why, until: instant(until), refusals, trial: probe === null ? null : runId(probe) },
];

export const pauseOf = ({ scope, why, since, until }: PauseColumns): [PauseScope, Pause] => [
  scope === EVERYTHING ? EVERYTHING : workflowName(scope),
  { why, since: instant(since), until: until === null ? null : instant(until) },
];

export const spentOf = (row: SpentColumns | undefined): Spent =>
  row === undefined ? { day: 0, tokens: 0 } : { day: Date.parse(row.day) / DAY_MS, tokens: row.tokens };
