/** What each turn was told, each text once; and what the next run of an issue has to know of the last one. */

export const told = `
CREATE TABLE texts (
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  seal INTEGER
) STRICT;
CREATE INDEX texts_by_time ON texts (told_at);

ALTER TABLE turns ADD COLUMN told TEXT;
ALTER TABLE tallies ADD COLUMN told TEXT;
ALTER TABLE tallies ADD COLUMN last_run TEXT;
`;
