import { expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens } from "../../../src/domain/run.ts";
import {
  openRunOf,
  type RunColumns,
  runRowOf,
  tallyOf,
  type TallyColumns,
} from "../../../src/ledger/reader-rows.ts";
import { tokens } from "../../contract/ledger-records.ts";

const counts = {
  input_tokens: 1,
  cached_input_tokens: 2,
  output_tokens: 3,
  reasoning_output_tokens: 4,
  total_tokens: 5,
};
const ofColumns = { input: 1, cachedInput: 2, output: 3, reasoningOutput: 4, total: 5 };

/** A run that has only just been written down. */
const bare: RunColumns = {
  id: "r1",
  issue_id: "issue-1",
  identifier: "MT-1",
  title: "Ticket",
  workflow: "main",
  workflow_hash: "hash",
  attempt: null,
  kind: "first",
  started_at: 1_000,
  ended_at: null,
  outcome: null,
  failure: null,
  pid: null,
  start_ticks: null,
  boot_id: null,
  workspace: null,
  thread_id: null,
  turns: 0,
  ...counts,
};

test("a run that goes on has no ending, no end and no thread: null, not a time or a name made of nothing", () => {
  expect(runRowOf(bare)).toMatchObject({
    ending: null,
    endedAt: null,
    thread: null,
    attempt: null,
    startedAt: 1_000,
    tokens: ofColumns,
  });
});

test("a run that ended well has an ending without a failure, another one its failure whole", () => {
  const over = { ...bare, ended_at: 0, outcome: "completed" as const };
  expect(runRowOf(over)).toMatchObject({ ending: { outcome: "completed", failure: null }, endedAt: 0 });
  const why = failure("hook_failed", "It failed.", { hint: "Look.", resetsAt: 7 });
  const failed = runRowOf({ ...over, outcome: "failed", failure: JSON.stringify(why) });
  expect(failed.ending).toEqual({ outcome: "failed", failure: why });
});

test("a failure without an outcome makes no ending: the outcome is what ends a run", () => {
  expect(runRowOf({ ...bare, failure: JSON.stringify(failure("lost", "x")) }).ending).toBeNull();
});

test("an open run has what finds its process, its own tokens, and its thread's mark apart from them", () => {
  const row = { ...bare, pid: 4_321, start_ticks: 99, boot_id: "boot", workspace: "/w", thread_id: "t" };
  expect(openRunOf(row, tokens(70))).toMatchObject({
    pid: 4_321,
    startTicks: 99,
    bootId: "boot",
    workspace: "/w",
    thread: "t",
    tokens: ofColumns,
    threadTotal: tokens(70),
  });
  expect(openRunOf(bare, noTokens).thread).toBeNull();
});

test("a tally has the issue's tokens and the thread's, each from its own columns", () => {
  const row: TallyColumns = {
    ...counts,
    issue_id: "issue-1",
    runs: 10,
    failures: 11,
    idle: 12,
    fingerprint: null,
    extra_runs: 13,
    extra_tokens: 14,
    thread_id: null,
    thread_input_tokens: 21,
    thread_cached_input_tokens: 22,
    thread_output_tokens: 23,
    thread_reasoning_output_tokens: 24,
    thread_total_tokens: 25,
    thread_failures: 15,
    told: null,
    last_run: null,
  };
  expect(tallyOf(row)).toEqual({
    runs: 10,
    failures: 11,
    idle: 12,
    fingerprint: null,
    extraRuns: 13,
    extraTokens: 14,
    tokens: ofColumns,
    thread: null,
    threadTotal: { input: 21, cachedInput: 22, output: 23, reasoningOutput: 24, total: 25 },
    threadFailures: 15,
    told: null,
    last: null,
  });
  expect(tallyOf({ ...row, thread_id: "t" }).thread).toBe("t");
});
