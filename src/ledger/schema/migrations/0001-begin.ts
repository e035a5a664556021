/**
 * The first schema. docs/LEDGER.md explains it to people who query it; the views at the end keep their names and
 * columns, whatever later migrations do to the tables. Instants are milliseconds since the epoch. `seal` is each row's
 * checksum, see seals.ts.
 */

const tokens = (prefix = ""): string =>
  ["input", "cached_input", "output", "reasoning_output", "total"]
    .map((name) => `${prefix}${name}_tokens INTEGER NOT NULL DEFAULT 0`)
    .join(", ");

const iso = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;

const tables = `
CREATE TABLE seals (sum INTEGER NOT NULL) STRICT;
INSERT INTO seals VALUES (0);

CREATE TABLE installation (id TEXT PRIMARY KEY, seal INTEGER) STRICT;
INSERT INTO installation (id) VALUES (lower(hex(randomblob(8))));

CREATE TABLE workflows (
  hash TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  text TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  seal INTEGER
) STRICT;

CREATE TABLE issues (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  title TEXT,
  workflow TEXT,
  seen_at INTEGER,
  seal INTEGER
) STRICT;
CREATE INDEX issues_by_identifier ON issues (identifier COLLATE NOCASE);

CREATE TABLE tallies (
  issue_id TEXT PRIMARY KEY REFERENCES issues (id),
  runs INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  idle INTEGER NOT NULL,
  fingerprint TEXT,
  extra_runs INTEGER NOT NULL,
  extra_tokens INTEGER NOT NULL,
  ${tokens()},
  thread_id TEXT,
  ${tokens("thread_")},
  seal INTEGER
) STRICT;

CREATE TABLE holds (
  workflow TEXT PRIMARY KEY,
  why TEXT NOT NULL,
  until INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  probe TEXT,
  seal INTEGER
) STRICT;

CREATE TABLE pauses (
  scope TEXT PRIMARY KEY,
  why TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  seal INTEGER
) STRICT;

CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  done_at INTEGER,
  answer TEXT,
  seal INTEGER
) STRICT;
CREATE INDEX commands_waiting ON commands (id) WHERE done_at IS NULL;

CREATE TABLE claims (
  issue_id TEXT PRIMARY KEY REFERENCES issues (id),
  workflow TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('running', 'waiting', 'parked')),
  since INTEGER NOT NULL,
  retry_at INTEGER,
  attempt INTEGER,
  reason TEXT,
  why TEXT,
  detail TEXT NOT NULL,
  seal INTEGER
) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  issue_id TEXT NOT NULL REFERENCES issues (id),
  identifier TEXT NOT NULL,
  title TEXT NOT NULL,
  workflow TEXT NOT NULL,
  workflow_hash TEXT NOT NULL,
  attempt INTEGER,
  kind TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  failure_kind TEXT,
  error TEXT,
  failure TEXT,
  pid INTEGER,
  start_ticks INTEGER,
  boot_id TEXT,
  workspace TEXT,
  thread_id TEXT,
  resumed INTEGER,
  turns INTEGER NOT NULL DEFAULT 0,
  ${tokens()},
  seal INTEGER,
  CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT;
CREATE UNIQUE INDEX one_open_run ON runs (issue_id) WHERE ended_at IS NULL;
CREATE INDEX runs_by_issue ON runs (issue_id, started_at);
CREATE INDEX runs_by_start ON runs (started_at);

CREATE TABLE turns (
  run_id TEXT NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  status TEXT,
  failure_kind TEXT,
  error TEXT,
  failure TEXT,
  message TEXT,
  seal INTEGER,
  PRIMARY KEY (run_id, number),
  UNIQUE (run_id, turn_id)
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  run_id TEXT,
  issue_id TEXT,
  fact TEXT NOT NULL,
  seal INTEGER
) STRICT;
CREATE INDEX events_by_run ON events (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX events_by_time ON events (at);

CREATE TABLE usage (
  thread_id TEXT PRIMARY KEY,
  issue_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  ${tokens()},
  seal INTEGER
) STRICT;

CREATE TABLE spending (
  day TEXT NOT NULL,
  workflow TEXT NOT NULL,
  ${tokens()},
  seal INTEGER,
  PRIMARY KEY (day, workflow)
) STRICT;

CREATE TABLE tool_calls (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  run_id TEXT,
  issue_id TEXT,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  operation TEXT,
  fields TEXT NOT NULL,
  ids TEXT NOT NULL,
  complexity REAL,
  ok INTEGER NOT NULL,
  error TEXT,
  took_ms REAL NOT NULL,
  seal INTEGER,
  UNIQUE (run_id, call_id)
) STRICT;
CREATE INDEX tool_calls_by_time ON tool_calls (at);
`;

const views = `
CREATE VIEW v_runs AS
SELECT
  id, workflow, issue_id, identifier AS issue_identifier, title, attempt, kind,
  coalesce(outcome, 'running') AS outcome, failure_kind, error,
  ${iso("started_at")} AS started_at, ${iso("ended_at")} AS ended_at,
  (ended_at - started_at) / 1000.0 AS took_s,
  turns, thread_id, workspace,
  input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens, total_tokens
FROM runs;

CREATE VIEW v_issues AS
SELECT
  i.id AS issue_id, i.identifier AS issue_identifier, i.title, i.workflow,
  coalesce(c.phase, 'idle') AS phase, c.reason, c.why,
  ${iso("c.since")} AS since, ${iso("c.retry_at")} AS retry_at,
  (SELECT count(*) FROM runs r WHERE r.issue_id = i.id) AS runs,
  coalesce(t.runs, 0) AS runs_since_release, coalesce(t.failures, 0) AS failures,
  (SELECT coalesce(sum(r.total_tokens), 0) FROM runs r WHERE r.issue_id = i.id) AS total_tokens,
  (SELECT coalesce(r.outcome, 'running') FROM runs r WHERE r.issue_id = i.id
    ORDER BY r.started_at DESC, r.rowid DESC LIMIT 1) AS last_outcome
FROM issues i
LEFT JOIN claims c ON c.issue_id = i.id
LEFT JOIN tallies t ON t.issue_id = i.id;

CREATE VIEW v_tokens_by_day AS
SELECT
  day, workflow,
  input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens, total_tokens
FROM spending;
`;

export const begin = `${tables}${views}`;
