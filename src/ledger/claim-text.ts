/**
 * A claim as the ledger keeps it: JSON with a version. What any released version wrote can be read (test/fixtures/ has
 * such rows); a field of the scheduler's that is renamed or added gets a number here, and a step from the number before.
 */
import {
  type Blocker,
  type Ending,
  type Failure,
  type FailureKind,
  instant,
  type Instant,
  isFailureKind,
  isFields,
  type Issue,
  issueId,
  type NativeRef,
  type Outcome,
  PARK_REASONS,
  type Run,
  runId,
  type RunKind,
  threadId,
  type Tokens,
  workflowName,
} from "../domain/domain.ts";
import type { Claim, ThreadMark } from "../scheduler/scheduler.ts";
import {
  born,
  count,
  fieldsOf,
  flag,
  listOf,
  maybe,
  objectOf,
  oneIn,
  oneOf,
  orNull,
  type Parser,
  text,
  Unfit,
} from "./parse.ts";

/** Of the shape that is written now; rows without a number are of the first. */
export const CLAIM_VERSION = 3;

/** The claim as it is written. */
export const claimText = (claim: Claim): string => JSON.stringify({ version: CLAIM_VERSION, ...claim });

/**
 * The claim that was written.
 * @throws Unfit when it is none, or of a version that this one does not know
 */
export function parseClaim(json: string): Claim {
  const { version = 1, ...fields } = fieldsOf(jsonIn(json));
  const from = count(version);
  if (from > CLAIM_VERSION) throw new Unfit(` is of version ${from}, this one knows up to ${CLAIM_VERSION}`);
  return claim(upgrades.slice(from - 1).reduce((older, upgrade) => upgrade(older), fields));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unfit(` is no JSON: ${String(error)}`);
  }
}

type Of<Phase extends Claim["phase"]> = Extract<Claim, { phase: Phase }>;
type Running = Of<"running">;

type Fields = Readonly<Record<string, unknown>>;

/** The n-th leads from version n to n + 1. */
const upgrades: readonly ((older: Fields) => Fields)[] = [
  // Version 2 has its number, the way out of a parked claim is no longer called a release, and a running one knows of scans.
  ({ release, ...claim }) => ({
    ...claim,
    ...(release !== undefined && { wayOut: release }),
    ...(claim["phase"] === "running" && { seenDuring: 0 }),
  }),
  // Version 3 knows whose an issue is, what its tracker calls it, why it is not dispatchable, and which slot one waits for, or that it
  // waits for a hold to end; before it, those that the provider had refused did.
  ({ issue, ...claim }) => ({
    ...claim,
    issue: { ...fieldsOf(issue), nativeRef: null, assigneeId: null },
    ...(claim["phase"] === "waiting" && wasRefused(claim["failure"]) && { held: true }),
  }),
];

const REFUSALS: ReadonlySet<unknown> = new Set([
  "usage_limit",
  "rate_limited",
  "unauthorized",
  "model_not_found",
]);

const wasRefused = (failure: unknown): boolean => isFields(failure) && REFUSALS.has(failure["kind"]);

const time = born(count, instant);
const workflow = born(text, workflowName);
const kind = oneOf<RunKind>({ first: true, continuation: true, retry: true });

const tokens = objectOf<Tokens>({
  input: count,
  cachedInput: count,
  output: count,
  reasoningOutput: count,
  total: count,
});

const blocker = objectOf<Blocker>({ id: orNull(text), identifier: orNull(text), state: orNull(text) });

const nativeRef: Parser<NativeRef> = (value) =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, part]) => [name, refPart(part)]));

const refPart: Parser<string | number | null> = (value) =>
  typeof value === "number" ? value : orNull(text)(value);

const issue = objectOf<Issue>({
  id: born(text, issueId),
  identifier: text,
  title: text,
  state: text,
  priority: orNull(count),
  createdAt: orNull(time),
  updatedAt: orNull(time),
  dispatchable: flag,
  whyNot: maybe(text),
  putAway: maybe((value): true => (value === true ? value : fail(value))),
  labels: listOf(text),
  description: orNull(text),
  nativeRef: orNull(nativeRef),
  assigneeId: orNull(text),
  branchName: orNull(text),
  url: orNull(text),
  blockedBy: listOf(blocker),
});

/** A kind that another version had still has its message: nothing goes on by the kind of a failure that is over. */
export const failureKind = born(text, (word): FailureKind => (isFailureKind(word) ? word : "internal"));

const failure = objectOf<Failure>({
  kind: failureKind,
  message: text,
  hint: orNull(text),
  detail: orNull(text),
  resetsAt: orNull(count),
});

/** What a run's row says of why it failed. @throws Unfit */
export const parseFailure = (json: string): Failure => failure(JSON.parse(json));

export const outcome = oneOf<Outcome>({
  completed: true,
  failed: true,
  timed_out: true,
  stalled: true,
  canceled: true,
  interrupted: true,
  lost: true,
});

const ending = objectOf<Ending>({ outcome, failure: orNull(failure), gate: maybe(text) });

const run = objectOf<Run>({
  id: born(text, runId),
  issueId: born(text, issueId),
  identifier: text,
  workflow,
  attempt: orNull(count),
  kind,
  startedAt: time,
});

const running = objectOf<Running>({
  phase: oneOf({ running: true }),
  workflow,
  issue,
  run,
  step: oneOf<Running["step"]>({ starting: true, turn: true, checking: true, ending: true }),
  thread: orNull(born(text, threadId)),
  turns: count,
  tokens,
  threadTotal: tokens,
  children: maybe(listOf(objectOf<ThreadMark>({ thread: born(text, threadId), total: tokens }))),
  stateBefore: text,
  landing: flag,
  pulseAt: orNull(time),
  endBy: time,
  leave: orNull(objectOf<{ by: Instant; why: string }>({ by: time, why: text })),
  seenDuring: count,
  ending: orNull(ending),
});

const isTrue = (value: unknown): true => (value === true ? value : fail(value));

const waiting = objectOf<Of<"waiting">>({
  phase: oneOf({ waiting: true }),
  workflow,
  issue,
  retryAt: time,
  attempt: count,
  kind,
  why: text,
  failure: orNull(failure),
  slot: maybe(text),
  held: maybe(isTrue),
});

const reason = oneIn(PARK_REASONS);

const parked = objectOf<Of<"parked">>({
  phase: oneOf({ parked: true }),
  workflow,
  issue,
  reason,
  why: text,
  wayOut: text,
  since: time,
  unseen: maybe(isTrue),
});

function fail(value: unknown): never {
  throw new Unfit(` is not true: ${String(value)}`);
}

const phase = oneOf<Claim["phase"]>({ running: true, waiting: true, parked: true });

function claim(fields: Fields): Claim {
  switch (phase(fields["phase"])) {
    case "running":
      return running(fields);
    case "waiting":
      return waiting(fields);
    case "parked":
      return parked(fields);
  }
}
