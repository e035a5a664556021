/** How often in a row an issue's thread has failed by itself: one that cannot go on is given up. */

export const threadFailures = `
ALTER TABLE tallies ADD COLUMN thread_failures INTEGER NOT NULL DEFAULT 0;
`;
