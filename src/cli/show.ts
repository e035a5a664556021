/** `baton show ISSUE|RUN`: everything that happened to one ticket, or in one run. */
import { instant, type Instant } from "../domain/domain.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { subjectOf } from "./show-subject.ts";
import { showText, showView } from "./show-view.ts";
import { toldText, toldView } from "./told-view.ts";

export interface ShowOptions extends LedgerChoice {
  readonly events: number;
  readonly verbose?: boolean;
  /** What each turn was given, instead of what happened. */
  readonly told?: boolean;
  readonly json?: boolean;
}

/** Prints the page. @throws CliError when there is no ledger, or nothing of this name in it. */
export async function show(
  name: string,
  options: ShowOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const path = await ledgerAt(options);
  if (options.told === true) return showTold(name, path, options, output);
  const subject = await askLedger(path, (ledger) => subjectOf(ledger, name, options.events));
  if (options.json === true) {
    output.out(JSON.stringify(showView(subject), null, 2));
    return EXIT.ok;
  }
  const paint = paintFor(output);
  const columns = output.isTerminal ? output.columns : null;
  const timeline = { columns, paint, verbose: options.verbose === true };
  output.out(showText(subject, { now, columns: output.columns, paint, timeline }));
  return EXIT.ok;
}

async function showTold(name: string, path: string, options: ShowOptions, output: Output): Promise<ExitCode> {
  const told = await askLedger(path, (ledger) =>
    subjectOf(ledger, name, options.events)
      .runs.toReversed()
      .map((run) => ({ run, told: ledger.told(run.id) })),
  );
  output.out(
    options.json === true ? JSON.stringify(toldView(told), null, 2) : toldText(told, paintFor(output)),
  );
  return EXIT.ok;
}
