/**
 * Figures that somebody has seen are kept in `docs/figures.json`, and the tables of the documents are made of them:
 * `npm run figures` writes them anew, between `<!-- figures: NAME -->` and `<!-- end of figures -->`. Runs put theirs in
 * themselves: `npm run torture -- --keep`, `npm run bench -- --keep`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One table, and where its figures were seen. */
export interface Kept {
  /** ISO 8601, without the time. */
  readonly date: string;
  /** Processors, system, Node, and what else ran. */
  readonly machine: string;
  readonly columns: readonly string[];
  /** By what the first column says, each row is there once. */
  readonly rows: readonly (readonly string[])[];
}

export type AllKept = Readonly<Record<string, Kept>>;

const repository = join(import.meta.dirname, "..");
const path = join(repository, "docs/figures.json");
/** Documents with tables of figures. */
export const documents = ["docs/PERFORMANCE.md", "docs/RELIABILITY.md"];

const table = /(<!-- figures: ([\w-]+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;

export const allKept = (): AllKept => JSON.parse(readFileSync(path, "utf8")) as AllKept;

/** The document with the tables that these figures make. @throws Error for a table whose figures are not kept */
export function withTables(text: string, kept: AllKept): string {
  return text.replaceAll(table, (_, begin: string, name: string, end: string) => {
    const figures = kept[name];
    if (figures === undefined) throw new Error(`There are no figures called "${name}" in docs/figures.json.`);
    return `${begin}\n${rendered(figures)}\n${end}`;
  });
}

function rendered({ date, machine, columns, rows }: Kept): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const table = [line(columns), line(columns.map(() => "---")), ...rows.map(line)];
  return `Seen on ${date}: ${machine}.\n\n${table.join("\n")}\n`;
}

/**
 * Keeps these figures, with the commit they were seen at. When only some were looked at, each of those says itself when it
 * was seen, and the others stay as they are.
 */
export function keep(name: string, seen: Kept, { only }: { only: boolean }): void {
  if (new Set(seen.rows.map(([first]) => first)).size < seen.rows.length)
    throw new Error(`Two rows of "${name}" are called the same, and one would take the other's place.`);
  const all = allKept();
  const before = all[name];
  const kept = only && before !== undefined ? replaced(before, seen) : seen;
  write({
    ...all,
    [name]: kept === seen ? { ...seen, machine: `commit ${commit()}, ${seen.machine}` } : kept,
  });
}

function replaced(before: Kept, seen: Kept): Kept {
  const dated = seen.rows.map((row) => [
    ...row.slice(0, -1),
    `${row.at(-1) ?? ""} (${seen.date}, ${commit()})`,
  ]);
  const known = new Set(before.rows.map(([first]) => first));
  const rows = before.rows.map((old) => dated.find(([first]) => first === old[0]) ?? old);
  return { ...before, rows: [...rows, ...dated.filter(([first]) => !known.has(first))] };
}

/** The commit that is checked out there, and whether something was changed since. */
export function commit(checkout: string = repository): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: checkout, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
  return `${git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`;
}

function write(kept: AllKept): void {
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
  for (const name of documents) {
    const file = join(repository, name);
    writeFileSync(file, withTables(readFileSync(file, "utf8"), kept));
  }
}

if (import.meta.main) write(allKept());
