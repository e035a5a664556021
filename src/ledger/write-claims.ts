/** Issues, what we hold of them and what they have used. */
import type { Instant, IssueId } from "../domain/domain.ts";
import type { Claim, LedgerRecord } from "../scheduler/scheduler.ts";
import { claimText } from "./claim-text.ts";
import type { TallyColumns } from "./reader-rows.ts";
import { tokenColumns } from "./row.ts";
import { tallyText } from "./tally-text.ts";
import type { Rows } from "./rows.ts";

type TallyRecord = Extract<LedgerRecord, { type: "tally" }>;

interface SeenIssue {
  readonly id: IssueId;
  readonly identifier: string;
  /** Null = not known here; what was known stays. */
  readonly title: string | null;
  readonly workflow: string | null;
  readonly state?: string;
  readonly url?: string | null;
  readonly at: Instant | null;
}

interface IssueColumns {
  readonly id: string;
  readonly identifier: string;
  readonly title: string | null;
  readonly workflow: string | null;
  readonly seen_at: number | null;
  readonly state: string | null;
  readonly url: string | null;
}

interface ClaimColumns {
  readonly issue_id: string;
  readonly workflow: string;
  readonly phase: Claim["phase"];
  readonly since: number;
  readonly retry_at: number | null;
  readonly attempt: number | null;
  readonly reason: string | null;
  readonly why: string | null;
  readonly detail: string;
}

export interface ClaimWriter {
  seen(issue: SeenIssue): void;
  claim(claim: Claim, at: Instant): void;
  unclaim(issueId: IssueId, state: string | undefined): void;
  tally(record: TallyRecord): void;
}

export function claimWriter(rows: Rows): ClaimWriter {
  const issues = rows.table<IssueColumns>("issues", ["id"]);
  const claims = rows.table<ClaimColumns>("claims", ["issue_id"]);
  const tallies = rows.table<TallyColumns>("tallies", ["issue_id"]);

  const seen = ({ id, identifier, title, workflow, state, url, at }: SeenIssue): void => {
    const before = issues.get(id);
    issues.put({
      id,
      identifier,
      title: title ?? before?.title ?? null,
      workflow: workflow ?? before?.workflow ?? null,
      seen_at: at ?? before?.seen_at ?? null,
      state: state ?? before?.state ?? null,
      url: url ?? before?.url ?? null,
    });
  };
  return {
    seen,
    claim(claim, at) {
      const { id, identifier, title, state, url } = claim.issue;
      seen({ id, identifier, title, workflow: claim.workflow, state, url, at });
      const before = claims.get(id);
      const row = claimColumns(claim, at);
      // An issue that is put back while it waits (no slot was free) has waited since the first time.
      const waitsOn = before?.phase === "waiting" && row.phase === "waiting";
      claims.put(waitsOn ? { ...row, since: before.since } : row);
    },
    unclaim(issueId, state) {
      const issue = issues.get(issueId);
      if (state !== undefined && issue !== undefined) issues.put({ ...issue, state });
      claims.drop(issueId);
    },
    tally({ issueId, identifier, tally }) {
      seen({ id: issueId, identifier, title: null, workflow: null, at: null });
      const thread = tokenColumns(tally.threadTotal);
      tallies.put({
        issue_id: issueId,
        runs: tally.runs,
        failures: tally.failures,
        idle: tally.idle,
        fingerprint: tally.fingerprint,
        extra_runs: tally.extraRuns,
        extra_tokens: tally.extraTokens,
        thread_id: tally.thread,
        ...tokenColumns(tally.tokens),
        thread_input_tokens: thread.input_tokens,
        thread_cached_input_tokens: thread.cached_input_tokens,
        thread_output_tokens: thread.output_tokens,
        thread_reasoning_output_tokens: thread.reasoning_output_tokens,
        thread_total_tokens: thread.total_tokens,
        thread_failures: tally.threadFailures,
        told: tallyText(tally.told),
        last_run: tallyText(tally.last),
      });
    },
  };
}

/** `detail` is the claim itself, to be read back; the other columns are for people with SQL. */
function claimColumns(claim: Claim, at: Instant): ClaimColumns {
  const shared = {
    issue_id: claim.issue.id,
    workflow: claim.workflow,
    phase: claim.phase,
    detail: claimText(claim),
    retry_at: null,
    attempt: null,
    reason: null,
    why: null,
  };
  switch (claim.phase) {
    case "running":
      return { ...shared, since: claim.run.startedAt, attempt: claim.run.attempt };
    case "waiting":
      return { ...shared, since: at, retry_at: claim.retryAt, attempt: claim.attempt, why: claim.why };
    case "parked":
      return { ...shared, since: claim.since, reason: claim.reason, why: claim.why };
  }
}
