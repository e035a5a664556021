/** The ledger's migrations and one more that changes rows, columns and tables; and the same with a mark after each statement. */
import { migrations } from "../../../src/ledger/schema/migrations/migrations.ts";

const another = `
ALTER TABLE tallies ADD COLUMN mood TEXT;
UPDATE tallies SET mood = 'calm', failures = failures + 1;
CREATE TABLE moods (issue_id TEXT PRIMARY KEY REFERENCES issues (id), words TEXT NOT NULL, seal INTEGER) STRICT;
INSERT INTO moods (issue_id, words) SELECT issue_id, 'was ' || phase FROM claims;
CREATE INDEX runs_by_workflow ON runs (workflow);
ALTER TABLE events ADD COLUMN shade TEXT;
DROP VIEW v_tokens_by_day;
CREATE VIEW v_tokens_by_day AS SELECT day, workflow, total_tokens FROM spending;
`;

export const steps: readonly string[] = [...migrations, another];

const statementsOf = (step: string): readonly string[] =>
  step
    .split(/;\s*\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

/** Marks count from 1 through all steps; one stands before the first statement of each, and one after every statement. */
const marked = (step: string, first: number): string =>
  [
    `SELECT mark(${first})`,
    ...statementsOf(step).flatMap((statement, n) => [statement, `SELECT mark(${first + n + 1})`]),
  ]
    .join(";\n")
    .concat(";");

const marksIn = (step: string): number => statementsOf(step).length + 1;

/** The first mark of the n-th step; past the last, how many there are and one. */
export const firstMark = (n: number): number =>
  steps.slice(0, n).reduce((sum, step) => sum + marksIn(step), 1);

export const markedSteps: readonly string[] = steps.map((step, n) => marked(step, firstMark(n)));
