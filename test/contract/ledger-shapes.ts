/** Claims and tallies of every shape, for the round trip through a ledger. */
import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { PARK_REASONS } from "../../src/domain/fact.ts";
import type { Failure } from "../../src/domain/failure.ts";
import { issueId } from "../../src/domain/issue.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { runId, threadId, workflowName } from "../../src/domain/run.ts";
import type { Ending, Outcome, Run, RunKind, Tokens } from "../../src/domain/run.ts";
import { instant } from "../../src/domain/time.ts";
import type { Claim, Parked, Running, Waiting } from "../../src/scheduler/state.ts";
import type { Tally } from "../../src/scheduler/tally.ts";

// Half surrogate pairs and NUL included: what an issue's text may hold.
const codeUnit = fc.nat({ max: 0xff_ff }).map((code) => String.fromCharCode(code));
const text = fc.string({ unit: fc.oneof(codeUnit, fc.constant("\u0000")), maxLength: 20 });
const words = fc.string({ minLength: 1, maxLength: 12 });
const maybe = <T>(of: Arbitrary<T>): Arbitrary<T | null> => fc.option(of, { nil: null });
/** Every field of a type, those that may be missing too: one that is new and not in here does not compile. */
type Model<T> = { readonly [Name in keyof Required<T>]: Arbitrary<Exclude<T[Name], undefined>> };
type Always<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? never : Name }[keyof T];

const whole = <T extends object>(model: Model<T>): Arbitrary<T> =>
  fc.record(model) as Arbitrary<unknown> as Arbitrary<T>;
/** `always`: the fields that are never missing. */
const partly = <T extends object>(model: Model<T>, always: readonly Always<T>[]): Arbitrary<T> =>
  fc.record(model, { requiredKeys: [...always] }) as Arbitrary<unknown> as Arbitrary<T>;

const time = fc.integer({ min: 0, max: 4e12 }).map(instant);
const small = fc.nat({ max: 50 });

const kind = fc.constantFrom<RunKind>("first", "continuation", "retry");
const workflow = words.map(workflowName);
const tokenCount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const anyTokens = whole<Tokens>({
  input: tokenCount,
  cachedInput: tokenCount,
  output: tokenCount,
  reasoningOutput: tokenCount,
  total: tokenCount,
});

const anIssue = whole<Issue>({
  id: words.map(issueId),
  identifier: words,
  title: text,
  state: text,
  priority: maybe(fc.constantFrom(1, 2, 3, 4)),
  createdAt: maybe(time),
  updatedAt: maybe(time),
  dispatchable: fc.boolean(),
  whyNot: text,
  putAway: fc.constant(true as const),
  labels: fc.array(text, { maxLength: 3 }),
  description: maybe(text),
  nativeRef: maybe(fc.dictionary(words, fc.oneof(text, small, fc.constant(null)), { maxKeys: 3 })),
  assigneeId: maybe(words),
  branchName: maybe(text),
  url: maybe(fc.webUrl()),
  blockedBy: fc.array(fc.record({ id: maybe(text), identifier: maybe(text), state: maybe(text) }), {
    maxLength: 2,
  }),
});

const aFailure = whole<Failure>({
  kind: fc.constantFrom("turn_failed", "usage_limit", "lost", "internal"),
  message: text,
  hint: maybe(text),
  detail: maybe(text),
  resetsAt: maybe(time),
});

const anEnding = partly<Ending>(
  {
    outcome: fc.constantFrom<Outcome>(
      "completed",
      "failed",
      "timed_out",
      "stalled",
      "canceled",
      "interrupted",
      "lost",
    ),
    failure: maybe(aFailure),
    gate: text,
  },
  ["outcome", "failure"],
);

const aRun = whole<Run>({
  id: words.map(runId),
  issueId: words.map(issueId),
  identifier: words,
  workflow,
  attempt: maybe(small),
  kind,
  startedAt: time,
});

const aRunning = whole<Running>({
  phase: fc.constant("running" as const),
  workflow,
  issue: anIssue,
  run: aRun,
  step: fc.constantFrom("starting", "turn", "checking", "ending"),
  thread: maybe(words.map(threadId)),
  turns: small,
  tokens: anyTokens,
  threadTotal: anyTokens,
  children: fc.array(fc.record({ thread: words.map(threadId), total: anyTokens }), { maxLength: 2 }),
  stateBefore: words,
  landing: fc.boolean(),
  pulseAt: maybe(time),
  endBy: time,
  leave: maybe(fc.record({ by: time, why: text })),
  seenDuring: small,
  ending: maybe(anEnding),
});

const aWaiting = partly<Waiting>(
  {
    phase: fc.constant("waiting" as const),
    workflow,
    issue: anIssue,
    retryAt: time,
    attempt: small,
    kind,
    why: text,
    failure: maybe(aFailure),
    slot: text,
    held: fc.constant(true as const),
  },
  ["phase", "workflow", "issue", "retryAt", "attempt", "kind", "why", "failure"],
);

const aParked = partly<Parked>(
  {
    phase: fc.constant("parked" as const),
    workflow,
    issue: anIssue,
    reason: fc.constantFrom(...PARK_REASONS),
    why: text,
    wayOut: text,
    since: time,
    unseen: fc.constant(true as const),
  },
  ["phase", "workflow", "issue", "reason", "why", "wayOut", "since"],
);

export const aClaim: Arbitrary<Claim> = fc.oneof(aRunning, aWaiting, aParked);

export const aTally = whole<Tally>({
  runs: small,
  failures: small,
  idle: small,
  fingerprint: maybe(words),
  extraRuns: small,
  extraTokens: small,
  tokens: anyTokens,
  thread: maybe(words.map(threadId)),
  threadTotal: anyTokens,
  threadFailures: small,
  told: maybe(fc.record({ thread: words.map(threadId), digest: words, state: text })),
  last: maybe(
    fc.record({
      at: time,
      state: maybe(text),
      turns: small,
      thread: maybe(words.map(threadId)),
      kind: maybe(fc.constantFrom("stalled" as const, "port_exit" as const)),
      outcome: fc.constantFrom("completed" as const, "failed" as const, "lost" as const),
      why: maybe(text),
      released: maybe(text),
    }),
  ),
});
