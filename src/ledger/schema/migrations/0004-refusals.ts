/**
 * Who was looked at and may not start, so that a start does not look at all of them again. One row of JSON for a workflow:
 * it is written as a whole when somebody comes or goes, and read once in the life of a daemon.
 */
export const refusals = `
CREATE TABLE refusals (workflow TEXT PRIMARY KEY, detail TEXT NOT NULL, seal INTEGER) STRICT;
`;
