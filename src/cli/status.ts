/** `baton status`: what goes on, and what waits for a person. */
import { dirname, join } from "node:path";
import { after, DAY_MS, instant, type Instant } from "../domain/domain.ts";
import { type Holder, lockState, type Saved, type TimelineRow } from "../ledger/ledger.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { aboutLedger, askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { statusText, statusView } from "./status-view.ts";

export interface StatusOptions extends LedgerChoice {
  readonly json?: boolean;
}

/** What the ledger and its lock say at one moment. */
export interface Status {
  readonly ledger: string;
  /** A daemon works on this ledger. */
  readonly serving: boolean;
  /** Which one; null = none, or it has not said so yet. */
  readonly holder: Holder | null;
  readonly saved: Saved;
  /** What happened apart from any run in the last day, oldest first. */
  readonly lately: readonly TimelineRow[];
}

/** Enough to find the warnings of a bad day among them. */
const LATELY_MAX = 2_000;

/** Prints the page. No daemon is no failure. @throws CliError when there is no ledger to read. */
export async function status(
  options: StatusOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const { held, holder } = await aboutLedger(() => lockState(join(dirname(path), "lock.db")));
  const seen = await askLedger(path, (ledger) => ({
    saved: ledger.load(),
    lately: ledger.lately(after(now, -DAY_MS), LATELY_MAX),
  }));
  const found: Status = { ledger: path, serving: held, holder, ...seen };
  output.out(
    options.json === true
      ? JSON.stringify(statusView(found, now), null, 2)
      : statusText(found, { now, columns: output.columns, paint: paintFor(output) }),
  );
  return EXIT.ok;
}
