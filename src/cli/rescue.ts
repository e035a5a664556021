/** `baton rescue list|show|restore`: work that was saved before its workspace was removed. */
import { dirname, resolve } from "node:path";
import { instant, type Instant } from "../domain/domain.ts";
import { refuseMissing } from "../ledger/ledger.ts";
import {
  findRescue,
  listRescues,
  type Rescued,
  rescueDirectory,
  restore,
  WorkspaceError,
} from "../workspace/workspace.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { aboutLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { near } from "./near.ts";
import { rescuesTable, rescueText, rescueView, restoredText } from "./rescue-view.ts";

export interface RescueOptions extends LedgerChoice {
  readonly json?: boolean;
}

export interface RestoreOptions extends RescueOptions {
  readonly to?: string;
}

/** Prints all of them. None at all is no failure where there is a ledger. @throws CliError */
export async function list(
  options: RescueOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const ledger = await ledgerAt(options);
  const directory = directoryOf(ledger);
  const all = await atTheEdge(() => listRescues(directory));
  // Work is saved beside a ledger: where there is none, nobody has looked at the right place.
  if (all.length === 0) await aboutLedger(() => refuseMissing(ledger));
  if (options.json === true) output.out(JSON.stringify(all.map(rescueView), null, 2));
  else if (all.length === 0)
    output.out(
      `Nothing is in ${directory}: no workspace was removed with work in it that nobody had pushed.`,
    );
  else output.out(rescuesTable(all, { now, columns: output.columns, paint: paintFor(output) }).join("\n"));
  return EXIT.ok;
}

/** @throws CliError when there is none of this name. */
export async function show(name: string, options: RescueOptions, output: Output): Promise<ExitCode> {
  const found = await named(name, options);
  output.out(
    options.json === true
      ? JSON.stringify({ ...found.manifest, path: found.to }, null, 2)
      : rescueText(found),
  );
  return EXIT.ok;
}

/** @throws CliError when there is none of this name, the directory exists, or something cannot be restored. */
export async function restoreTo(name: string, options: RestoreOptions, output: Output): Promise<ExitCode> {
  const found = await named(name, options);
  const restored = await atTheEdge(() => restore(found, resolve(options.to ?? found.manifest.id)));
  output.out(
    options.json === true
      ? JSON.stringify({ id: found.manifest.id, ...restored }, null, 2)
      : restoredText(found.manifest, restored),
  );
  return EXIT.ok;
}

const directoryOf = (ledger: string): string => rescueDirectory(dirname(ledger));

async function named(name: string, options: RescueOptions): Promise<Rescued> {
  const directory = directoryOf(await ledgerAt(options));
  const found = await atTheEdge(() => findRescue(directory, name));
  if (found !== null) return found;
  const all = (await listRescues(directory)).flatMap(({ manifest }) => [manifest.identifier, manifest.id]);
  const close = near(name, all);
  const hint =
    close.length > 0 ? ` Did you mean ${close.join(" or ")}?` : " `baton rescue list` shows what is.";
  throw new CliError(EXIT.failure, `There is no rescue "${name}" in ${directory}.${hint}`);
}

async function atTheEdge<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    throw new CliError(EXIT.failure, error.hint === null ? error.message : `${error.message}\n${error.hint}`);
  }
}
