/** `baton show ISSUE|RUN`: everything that happened to one ticket, or in one run. */
import { instant, type Instant } from "../domain/domain.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { lastSigns, type LedgerReader } from "../ledger/ledger.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { doingNow } from "./doing-view.ts";
import { isOpen } from "./run-view.ts";
import { askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { strangerOf, type Subject, subjectOf } from "./show-subject.ts";
import { showText, showView } from "./show-view.ts";
import { serverOf } from "./status.ts";
import { toldText, toldView } from "./told-view.ts";

export interface ShowOptions extends LedgerChoice {
  readonly events: number;
  readonly verbose?: boolean;
  /** What each turn was given, instead of what happened. */
  readonly told?: boolean;
  /** Only what the ledger knows. */
  readonly offline?: boolean;
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
  const { page, server, signs } = await pageOf(name, path, options, now);
  const isServed = server.holder !== null;
  if (options.json === true) {
    output.out(JSON.stringify(showView(page, isServed), null, 2));
    return EXIT.ok;
  }
  const paint = paintFor(output);
  const columns = output.isTerminal ? output.columns : null;
  const timeline = { columns, paint, verbose: options.verbose === true };
  const lastSigns = isServed ? {} : { lastSigns: signs };
  output.out(showText(page, { now, columns: output.columns, paint, isServed, timeline, ...lastSigns }));
  return EXIT.ok;
}

/** What the ledger knows, and of an issue what the tracker and the gates say now. @throws CliError */
async function pageOf(name: string, path: string, options: ShowOptions, now: Instant) {
  const { subject, unknown, saved, signs } = await askLedger(path, (ledger) => {
    const found = known(ledger, name, options.events);
    const open = (found.subject?.runs ?? []).filter(isOpen);
    return { ...found, saved: ledger.load(), signs: lastSigns(path, ledger, open, now) };
  });
  const server = await serverOf(path, saved.holds, now);
  const found = doingNow(subject?.issue.claim ?? null, server.heartbeat);
  const doing = found === null ? {} : { doing: found };
  if (subject?.of === "run") return { page: { ...subject, why: null, ...doing }, server, signs };
  // Only here, for it brings trackers and workflow files along.
  const { whyOf } = await import("./why.ts");
  const id = subject?.issue.issueId ?? null;
  const env = options.offline === true ? null : process.env;
  const why = await whyOf({ ledger: path, choice: options, name, id, saved, server, now, env });
  if (subject !== null) return { page: { ...subject, why, ...doing }, server, signs };
  if (typeof why.issue === "string") throw stranger(unknown, why.notAsked);
  return { page: { ...strangerOf(why.issue), why }, server, signs };
}

/** One that the ledger does not know may be one that the tracker does. */
function known(
  ledger: LedgerReader,
  name: string,
  events: number,
): { readonly subject: Subject | null; readonly unknown: CliError | null } {
  try {
    return { subject: subjectOf(ledger, name, events), unknown: null };
  } catch (error) {
    if (error instanceof CliError) return { subject: null, unknown: error };
    throw error;
  }
}

const stranger = (unknown: CliError | null, notAsked: readonly string[]): CliError =>
  new CliError(
    EXIT.failure,
    [unknown?.message ?? "", ...(notAsked.length === 0 ? ["Nor does the tracker."] : notAsked)].join("\n"),
  );

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
