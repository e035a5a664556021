/** `baton runs`: what was done, newest first. */
import { instant, type Instant, type Outcome } from "../domain/domain.ts";
import { lastSigns, type RunFilter } from "../ledger/ledger.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { askLedger, isLedgerServed, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { isOpen, runView } from "./run-view.ts";
import { runsTable, totalsLines } from "./runs-view.ts";

export interface RunsOptions extends LedgerChoice {
  readonly issue?: string;
  readonly workflow?: string;
  readonly outcome?: Outcome | "running";
  readonly limit: number;
  readonly json?: boolean;
}

/** Prints the runs that fit. No run at all is no failure. @throws CliError when there is no ledger to read. */
export async function runs(
  options: RunsOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const { limit } = options;
  const path = await ledgerAt(options);
  // One more than asked for tells whether there are more.
  const isServed = await isLedgerServed(path);
  const { found, signs } = await askLedger(path, (ledger) => {
    const found = ledger.runs({ ...filterOf(options), limit: limit + 1 });
    return { found, signs: isServed ? new Map() : lastSigns(path, ledger, found.filter(isOpen), now) };
  });
  const rows = found.slice(0, limit);
  if (options.json === true)
    output.out(
      JSON.stringify(
        rows.map((row) => runView(row, isServed)),
        null,
        2,
      ),
    );
  else if (rows.length === 0) output.out(emptyText(options, path));
  else {
    const look = { now, columns: output.columns, paint: paintFor(output), isServed, lastSigns: signs };
    const lines = [...runsTable(rows, look), "", ...totalsLines(rows, look)];
    if (found.length > limit) lines.push(`There are older ones: --limit ${limit * 5} shows more.`);
    output.out(lines.join("\n"));
  }
  return EXIT.ok;
}

const filterOf = ({ issue, workflow, outcome }: RunsOptions): Omit<RunFilter, "limit"> => ({
  ...(issue !== undefined && { issue }),
  ...(workflow !== undefined && { workflow }),
  ...(outcome !== undefined && { outcome }),
});

function emptyText(options: RunsOptions, path: string): string {
  const filter = Object.entries(filterOf(options)).map(([name, value]) => `--${name} ${value}`);
  return filter.length > 0
    ? `No run fits ${filter.join(" ")}. \`baton runs\` without it shows them all.`
    : `No runs yet in ${path}. \`baton run WORKFLOW.md\` starts working on tickets; \`baton doctor WORKFLOW.md\` says what stands in the way.`;
}
