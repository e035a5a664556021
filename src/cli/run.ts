/** `baton run`: load, build, start, and stay until told to stop. */
import { compose, type Composed, type Composition } from "../daemon/compose.ts";
import type { Stopped } from "../daemon/daemon.ts";
import { Facts } from "../facts/facts.ts";
import { createLog } from "../facts/log.ts";
import { Redactor } from "../facts/redact.ts";
import { LedgerError } from "../ledger/ledger.ts";
import { LockHeld } from "../ledger/lock.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import type { Output } from "./output.ts";
import { checkAgents } from "./prerequisites.ts";
import { ledgerPath, loadFiles } from "./workflows.ts";

export interface RunOptions {
  readonly logFormat?: "pretty" | "json";
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

/** Runs until stopped. 0 after a clean stop, 1 when it had to be forced or something went wrong. @throws CliError */
export async function run(
  paths: readonly string[],
  options: RunOptions,
  version: string,
  output: Output,
): Promise<ExitCode> {
  const { files, warnings } = loadFiles(paths);
  const workflows = files.map((file) => file.current());
  const [first] = workflows;
  if (first === undefined) throw new CliError(EXIT.usage, "No WORKFLOW.md was given.");
  await checkAgents(workflows, process.env);
  const redactor = new Redactor();
  const facts = new Facts(redactor);
  const pretty = options.logFormat === undefined ? process.stderr.isTTY : options.logFormat === "pretty";
  facts.subscribe(createLog({ pretty, level: options.logLevel }));
  const { daemon, close } = composed({
    version,
    env: process.env,
    files,
    warnings,
    ledgerPath: ledgerPath(first),
    facts,
    redactor,
  });
  const release = onSignals((signal) => daemon.requestStop(signal));
  await daemon.start();
  const stopped = await daemon.stopped;
  release();
  closed(close, output);
  return exitCode(stopped, output);
}

function composed(composition: Composition): Composed {
  try {
    return compose(composition);
  } catch (error) {
    if (error instanceof LockHeld) throw new CliError(EXIT.locked, error.message);
    if (error instanceof LedgerError) throw new CliError(EXIT.failure, `${error.message}\n${error.hint}`);
    throw error;
  }
}

/** Closing writes the last facts; when they cannot be written, everything acknowledged is on disk all the same. */
function closed(close: () => void, output: Output): void {
  try {
    close();
  } catch (error) {
    output.err(`baton: ${error instanceof LedgerError ? `${error.message}. ${error.hint}` : String(error)}`);
  }
}

/** A terminal's Ctrl-C reaches us once from the terminal and once more from npm, when npm runs us. */
const SAME_SIGNAL_MS = 300;

/** Signals are ordinary events; the handler only hands them on. */
function onSignals(handle: (signal: string) => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const heard = (signal: string): void => {
    const now = performance.now();
    if (now - last > SAME_SIGNAL_MS) handle(signal);
    last = now;
  };
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.on(signal, heard);
  return () => {
    for (const signal of signals) process.off(signal, heard);
  };
}

function exitCode(stopped: Stopped, output: Output): ExitCode {
  if (stopped.how === "clean") return EXIT.ok;
  if (stopped.how === "fatal") {
    const { error } = stopped;
    output.err(`baton: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    output.err(
      "Baton stopped because going on could have lost a record. Start it again: it goes on from the ledger.",
    );
  }
  return EXIT.failure;
}
