/** A hold says whose fault it is, what a person can do, since when, and what shows that it is over. */
export const holds = `
ALTER TABLE holds ADD COLUMN cause TEXT NOT NULL DEFAULT 'provider';
ALTER TABLE holds ADD COLUMN kind TEXT NOT NULL DEFAULT 'rate_limited';
ALTER TABLE holds ADD COLUMN over_by TEXT NOT NULL DEFAULT 'answered';
ALTER TABLE holds ADD COLUMN remedy TEXT NOT NULL DEFAULT 'One run tries now and then whether it is over.';
ALTER TABLE holds ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
UPDATE holds SET since = CAST(unixepoch('subsec') * 1000 AS INTEGER);
`;
