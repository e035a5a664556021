/** Issues, what we hold of them and what they have used. */
import type Database from "better-sqlite3";
import type { IssueId } from "../domain/issue.ts";
import type { Instant } from "../domain/time.ts";
import type { LedgerRecord } from "../scheduler/effects.ts";
import type { Claim } from "../scheduler/state.ts";
import { tokenColumns, tokenNames } from "./row.ts";

type TallyRecord = Extract<LedgerRecord, { type: "tally" }>;

interface SeenIssue {
  readonly id: IssueId;
  readonly identifier: string;
  /** Null = not known here; what was known stays. */
  readonly title: string | null;
  readonly workflow: string | null;
  readonly at: Instant | null;
}

export interface ClaimWriter {
  seen(issue: SeenIssue): void;
  claim(claim: Claim, at: Instant): void;
  unclaim(issueId: IssueId): void;
  tally(record: TallyRecord): void;
}

export function claimWriter(db: Database.Database): ClaimWriter {
  const issue = db.prepare<SeenIssue>(`
    INSERT INTO issues (id, identifier, title, workflow, seen_at) VALUES (@id, @identifier, @title, @workflow, @at)
    ON CONFLICT (id) DO UPDATE SET identifier = excluded.identifier, title = coalesce(excluded.title, title),
      workflow = coalesce(excluded.workflow, workflow), seen_at = coalesce(excluded.seen_at, seen_at)`);
  const claimed = db.prepare(claimSql);
  const unclaimed = db.prepare<[string]>("DELETE FROM claims WHERE issue_id = ?");
  const tallied = db.prepare(tallySql);

  const seen = (of: SeenIssue): void => void issue.run(of);
  return {
    seen,
    claim(claim, at) {
      const { id, identifier, title } = claim.issue;
      seen({ id, identifier, title, workflow: claim.workflow, at });
      claimed.run(claimColumns(claim, at));
    },
    unclaim: (issueId) => void unclaimed.run(issueId),
    tally({ issueId, identifier, tally }) {
      seen({ id: issueId, identifier, title: null, workflow: null, at: null });
      tallied.run({
        issue_id: issueId,
        runs: tally.runs,
        failures: tally.failures,
        idle: tally.idle,
        fingerprint: tally.fingerprint,
        extra_runs: tally.extraRuns,
        extra_tokens: tally.extraTokens,
        thread_id: tally.thread,
        ...tokenColumns(tally.tokens),
        ...threadColumns(tokenColumns(tally.threadTotal)),
      });
    },
  };
}

// An issue that is put back while it waits (no slot was free) has waited since the first time.
const claimSql = `
  INSERT INTO claims (issue_id, workflow, phase, since, retry_at, attempt, reason, why, detail)
  VALUES (@issue_id, @workflow, @phase, @since, @retry_at, @attempt, @reason, @why, @detail)
  ON CONFLICT (issue_id) DO UPDATE SET
    since = iif(phase = 'waiting' AND excluded.phase = 'waiting', since, excluded.since),
    workflow = excluded.workflow, phase = excluded.phase, retry_at = excluded.retry_at, attempt = excluded.attempt,
    reason = excluded.reason, why = excluded.why, detail = excluded.detail`;

const tallyNames = [
  "issue_id",
  "runs",
  "failures",
  "idle",
  "fingerprint",
  "extra_runs",
  "extra_tokens",
  "thread_id",
  ...tokenNames,
  ...tokenNames.map((name) => `thread_${name}`),
];

const tallySql = `INSERT OR REPLACE INTO tallies (${tallyNames.join(", ")})
  VALUES (${tallyNames.map((name) => `@${name}`).join(", ")})`;

const threadColumns = (tokens: object): object =>
  Object.fromEntries(Object.entries(tokens).map(([name, value]) => [`thread_${name}`, value]));

/** `detail` is the claim itself, to be read back; the other columns are for people with SQL. */
function claimColumns(claim: Claim, at: Instant): object {
  const shared = {
    issue_id: claim.issue.id,
    workflow: claim.workflow,
    phase: claim.phase,
    detail: JSON.stringify(claim),
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
