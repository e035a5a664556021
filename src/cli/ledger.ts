/** `baton ledger check|backup|prune|export`. */
import { resolve } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, DAY_MS, instant, type Instant } from "../domain/domain.ts";
import { agedIn, backUp, checkLedger, exportLines, pruneFile } from "../ledger/ledger.ts";
import { isoTime, type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { aboutLedger, ledgerAt, type LedgerChoice, retentionDaysOf } from "./ledger-at.ts";

export interface CheckOptions extends LedgerChoice {
  readonly json?: boolean;
}

/** 0 when all is as it was written, 1 when something is not. @throws CliError when there is no ledger to look at. */
export async function check(options: CheckOptions, output: Output): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const checks = await aboutLedger(() => checkLedger(path));
  const ok = checks.every(({ problems }) => problems.length === 0);
  if (options.json === true) output.out(JSON.stringify({ path, ok, checks }, null, 2));
  else {
    const paint = paintFor(output);
    const lines = checks.flatMap(({ name, problems }) => [
      `${problems.length === 0 ? paint("green", "ok  ") : paint("red", "FAIL")}  ${name}`,
      ...problems.map((problem) => `      ${problem}`),
    ]);
    const verdict = ok ? [] : ["", 'What to do: docs/LEDGER.md, "Damage".'];
    output.out([path, ...lines, ...verdict].join("\n"));
  }
  return ok ? EXIT.ok : EXIT.failure;
}

export interface BackupOptions extends LedgerChoice {
  readonly json?: boolean;
}

/** Writes the copy. @throws CliError when the file is there already, or the ledger is damaged. */
export async function backup(file: string, options: BackupOptions, output: Output): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const made = await aboutLedger(() => backUp(path, resolve(file)));
  if (options.json === true) output.out(JSON.stringify(made, null, 2));
  else output.out(`Wrote ${made.path} (${made.bytes} bytes), a whole and checked copy of ${path}.`);
  return EXIT.ok;
}

export interface PruneOptions extends LedgerChoice {
  readonly days?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Forgets history older than so many days, or says what would go. @throws CliError when the ledger cannot be written. */
export async function prune(
  options: PruneOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const days = options.days ?? (await retentionDaysOf(options));
  const before = after(now, -days * DAY_MS);
  const dryRun = options.dryRun === true;
  const tables = await aboutLedger(() => agedIn(path, before));
  const gone = dryRun ? 0 : await aboutLedger(() => pruneFile(path, before));
  if (options.json === true) {
    const view = tables.map(({ table, rows, old }) => ({ table, rows, old }));
    output.out(JSON.stringify({ before: isoTime(before), dry_run: dryRun, gone, tables: view }, null, 2));
    return EXIT.ok;
  }
  const parts = tables.map(({ table, rows, old }) => `${old} of ${rows} ${table.replace("_", " ")}`);
  const age = `older than ${days} day${days === 1 ? "" : "s"}`;
  output.out(
    dryRun
      ? `Would forget ${parts.join(" and ")} in ${path}: ${age}.`
      : `Forgot ${gone} rows in ${path} (${parts.join(", ")} were ${age}).`,
  );
  return EXIT.ok;
}

/** Writes the lines as fast as they are read. A reader that goes away early is no failure. @throws CliError */
export async function exported(options: LedgerChoice, to: Writable): Promise<ExitCode> {
  const path = await ledgerAt(options);
  await aboutLedger(async () => {
    const lines = exportLines(path);
    const text = (function* () {
      for (const line of lines) yield `${JSON.stringify(line)}\n`;
    })();
    try {
      await pipeline(Readable.from(text), to, { end: false });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  });
  return EXIT.ok;
}

const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"].includes(String(error.code));
