/**
 * The catalogue of the ledger's tables: what each is for, how long its rows stay, what guards them. Seals, pruning, looks,
 * repair and docs/LEDGER.md all go by it; a table that is in the schema and not in here fails a test.
 */

/** How long rows stay. */
export type Kept =
  /** What happened: forgotten when it is old enough. */
  | "retention"
  /** The account of all work: who did what, and what it cost. */
  | "for good"
  /** How things stand: as long as they stand so. */
  | "while it holds";

export interface Table {
  readonly name: string;
  /** Its name before a migration changed it; null = it never had another. */
  readonly was: string | null;
  /** "one row per ..." */
  readonly rowPer: string;
  readonly kept: Kept;
  /** The column by which rows are too old; null = they are never. */
  readonly agedBy: string | null;
  /** A start goes on from it or counts by it: its seals have a sum, and rows that were changed or are gone are damage. */
  readonly decides: boolean;
  /** Each row has a checksum, in the column `seal`. */
  readonly sealed: boolean;
  /** Has more rows the longer the daemon has worked: no statement of the daemon may read all of it. */
  readonly grows: boolean;
  /** One row and several, as a rebuild counts what it took over; null = not worth a word there. */
  readonly words: readonly [string, string] | null;
}

type About = Partial<Pick<Table, "was" | "agedBy" | "sealed" | "words">>;

const table = (
  name: string,
  rowPer: string,
  kept: Kept,
  does: { readonly decides: boolean; readonly grows: boolean },
  about: About = {},
): Table => ({ name, was: null, rowPer, kept, agedBy: null, sealed: true, words: null, ...does, ...about });

/** How things stand, which a start goes on from: a few rows, however long the daemon has worked. */
const stands = { decides: true, grows: false };
/** What limits and totals are counted from: a row for each issue, run, thread or day there ever was. */
const counts = { decides: true, grows: true };
/** What is only read: no start looks at it, and a row that is damaged or gone changes no decision. */
const tells = { decides: false, grows: true };
/** What spares the tracker questions: a row that is damaged or gone costs them, and changes no decision. */
const spares = { decides: false, grows: false };

/** In the order in which people read about them: what they ask for first comes first. */
export const tables: readonly Table[] = [
  table("issues", "issue ever claimed", "for good", counts),
  table("claims", "issue held now", "while it holds", stands, { words: ["claim", "claims"] }),
  table("tallies", "issue", "while it holds", counts, { words: ["tally", "tallies"] }),
  table("runs", "run", "for good", counts, { words: ["run", "runs"] }),
  table("turns", "turn of a run", "for good", tells),
  table("events", "fact, in order of `id`", "retention", tells, { agedBy: "at", words: ["event", "events"] }),
  table("usage", "thread", "for good", counts, { words: ["thread", "threads"] }),
  table("spending", "UTC day and workflow", "for good", counts),
  table("tool_calls", "call of one of Baton's tools", "retention", tells, { agedBy: "at" }),
  table("texts", "text that a turn was given, by SHA-256", "retention", tells, { agedBy: "told_at" }),
  table("holds", "workflow that is held", "while it holds", stands),
  table("pauses", "pause in force", "while it holds", stands),
  table("refusals", "workflow that has refused candidates", "while it holds", spares),
  table("orders", "order of a person (`baton pause`, `release`, ...)", "for good", tells, {
    was: "commands",
  }),
  table("installation", "the one row", "while it holds", stands),
  table("seals", "table that decides", "while it holds", { decides: false, grows: false }, { sealed: false }),
  table("workflows", "text of a WORKFLOW.md, by SHA-256", "for good", tells),
];

/** The entry of a table by the name it has or had; null = none of ours. */
export const tableNamed = (name: string): Table | null =>
  tables.find((about) => about.name === name || about.was === name) ?? null;
