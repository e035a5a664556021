/**
 * Orders go by the one word for them; each table that decides has a sum of its own, so that a start can look at what
 * holds without reading the account; and what is asked of tables that grow has an index. A row's seal names its table: one
 * that did not fit before does not fit afterwards.
 */

const order = "id, at, body, done_at, answer";

export const orders = `
ALTER TABLE commands RENAME TO orders;
DROP INDEX commands_waiting;
CREATE INDEX orders_waiting ON orders (id) WHERE done_at IS NULL;
UPDATE orders SET seal = row_seal('orders', ${order}) WHERE seal IS row_seal('commands', ${order});

DROP TABLE seals;
CREATE TABLE seals (name TEXT PRIMARY KEY, sum INTEGER NOT NULL) STRICT;

CREATE INDEX runs_by_identifier ON runs (identifier COLLATE NOCASE);
CREATE INDEX runs_by_number ON runs (CAST(substr(id, 2) AS INTEGER)) WHERE id GLOB 'r[0-9]*';
CREATE INDEX events_apart ON events (at) WHERE run_id IS NULL;
`;
