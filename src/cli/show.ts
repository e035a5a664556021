/** `baton show ISSUE|RUN`: everything that happened to one ticket, or in one run. */
import { instant, type Instant } from "../domain/domain.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { subjectOf } from "./show-subject.ts";
import { showText, showView } from "./show-view.ts";

export interface ShowOptions extends LedgerChoice {
  readonly events: number;
  readonly verbose?: boolean;
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
