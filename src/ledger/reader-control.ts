/** Rows of holds, pauses and spending as the scheduler knows them. */
import {
  DAY_MS,
  EVERYTHING,
  instant,
  isFailureKind,
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
  readonly cause: string;
  readonly kind: string;
  readonly over_by: string;
  readonly remedy: string;
  readonly since: number;
  readonly under: string | null;
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

export const holdOf = (row: HoldColumns): [WorkflowName, Hold] => [
  workflowName(row.workflow),
  {
    cause: oneOf(CAUSES, row.cause, "provider"),
    kind: isFailureKind(row.kind) ? row.kind : "internal",
    overBy: oneOf(OVER_BY, row.over_by, "completed"),
    why: row.why,
    remedy: row.remedy,
    since: instant(row.since),
    until: instant(row.until),
    refusals: row.refusals,
    trial: row.probe === null ? null : runId(row.probe),
    under: row.under,
  },
];

const CAUSES = ["provider", "installation", "systemic"] as const;
const OVER_BY = ["opened", "answered", "completed"] as const;

/** A word of another version stands for what is here in its place. */
const oneOf = <T extends string>(words: readonly T[], found: string, otherwise: T): T =>
  words.find((word) => word === found) ?? otherwise;

export const pauseOf = ({ scope, why, since, until }: PauseColumns): [PauseScope, Pause] => [
  scope === EVERYTHING ? EVERYTHING : workflowName(scope),
  { why, since: instant(since), until: until === null ? null : instant(until) },
];

export const spentOf = (row: SpentColumns | undefined): Spent =>
  row === undefined ? { day: 0, tokens: 0 } : { day: Date.parse(row.day) / DAY_MS, tokens: row.tokens };
