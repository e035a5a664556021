/** How an issue was when it was let go of, and where it is; and what happened to it besides its runs. */

export const seen = `
ALTER TABLE issues ADD COLUMN state TEXT;
ALTER TABLE issues ADD COLUMN url TEXT;

CREATE INDEX events_besides ON events (issue_id) WHERE run_id IS NULL AND issue_id IS NOT NULL;
`;
