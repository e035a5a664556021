/** `baton status`: what goes on, and what waits for a person. */
import { dirname, join } from "node:path";
import { after, instant, type Instant } from "../domain/time.ts";
import { lockState, type Holder } from "../ledger/lock.ts";
import type { Saved, TimelineRow } from "../ledger/port.ts";
import { paintFor } from "../terminal/colour.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { aboutLedger, askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import type { Output } from "../terminal/output.ts";
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

const DAY_MS = 24 * 3_600_000;

/** Enough to find the warnings of a bad day among them. */
const latelyMax = 2_000;

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
    lately: ledger.lately(after(now, -DAY_MS), latelyMax),
  }));
  const found: Status = { ledger: path, serving: held, holder, ...seen };
  output.out(
    options.json === true
      ? JSON.stringify(statusView(found, now), null, 2)
      : statusText(found, { now, columns: output.columns, paint: paintFor(output) }),
  );
  return EXIT.ok;
}
