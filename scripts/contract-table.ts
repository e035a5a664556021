/** The table of releases in docs/CODEX.md: its rows as text, and what it says of each. Reads and writes no file. */

/** What the contract tests showed of one release. */
export interface Tried {
  readonly version: string;
  /** Calendar day, as 2031-01-02. */
  readonly on: string;
  readonly passed: number;
  /** Full names, and errors outside of tests by the file they came from. */
  readonly failed: readonly string[];
  /** Why the run did not come to its end, in words; null = it did. */
  readonly unfinished: string | null;
}

const [BEGIN, END] = ["<!-- table -->", "<!-- end -->"];
const HEAD = ["| Codex | tried on | passed | failed |", "|---|---|---|---|"];

/** The document with the rows of these releases; those of others stay. Oldest release first. */
export function withRows(document: string, tried: readonly Tried[]): string {
  const rows = new Map([...rowsOf(document), ...tried.map((one) => [one.version, rowOf(one)] as const)]);
  const inOrder = [...rows]
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([, row]) => row);
  const [before, , after] = partsOf(document);
  return `${before}${BEGIN}\n${[...HEAD, ...inOrder].join("\n")}\n${END}${after}`;
}

/** What failed of this release that the document does not name for it, and that its run has no end where it had one. */
export function unnamed(document: string, { version, failed, unfinished }: Tried): readonly string[] {
  const cells = (rowsOf(document).get(version) ?? "").split(" | ");
  const named = (cells.at(-1) ?? "").replace(/ \|$/, "").split(APART);
  const isNew = unfinished !== null && !named.some((part) => part.startsWith(UNFINISHED));
  return [...(isNew ? [unfinished] : []), ...failed.filter((name) => !named.includes(inCell(name)))];
}

const UNFINISHED = "not finished: ";
/** A line each. */
const APART = "<br>";

function rowOf({ version, on, passed, failed, unfinished }: Tried): string {
  const end = unfinished === null ? [] : [UNFINISHED + unfinished];
  const said = [...end, ...failed.map(inCell).toSorted()];
  return `| ${version} | ${on} | ${passed} | ${said.length === 0 ? "none" : said.join(APART)} |`;
}

const inCell = (text: string): string => text.replaceAll("|", "\\|");

function rowsOf(document: string): ReadonlyMap<string, string> {
  const rows = partsOf(document)[1]
    .split("\n")
    .flatMap((line) => {
      const version = /^\| (\d\S*) \|/.exec(line)?.[1];
      return version === undefined ? [] : [[version, line] as const];
    });
  return new Map(rows);
}

/** Before, between and after the marks. @throws Error when they are not there. */
function partsOf(document: string): readonly [string, string, string] {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no "${BEGIN}" and "${END}" for the table.`);
  return [
    document.slice(0, begin),
    document.slice(begin + BEGIN.length, end),
    document.slice(end + END.length),
  ];
}
