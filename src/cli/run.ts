/** `baton run`: load, build, start, and stay until told to stop. */
import { compose, type Composed, type Composition } from "../daemon/compose.ts";
import type { Stopped } from "../daemon/service.ts";
import type { Failpoint } from "../daemon/failpoints.ts";
import { Facts } from "../facts/bus.ts";
import { createLog } from "../facts/log.ts";
import { Redactor } from "../facts/redact.ts";
import { LedgerError } from "../ledger/port.ts";
import { LockHeld } from "../ledger/lock.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import type { Output } from "../terminal/output.ts";
import { checkAgents } from "./prerequisites.ts";
import { ledgerPath, loadFiles } from "./workflows.ts";

export interface RunOptions {
  readonly logFormat?: "pretty" | "json";
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

/**
 * Runs until stopped. 0 when every run came to its end, 1 when one had to be left or something went wrong. `failpoint` is
 * for tests of crashes. @throws CliError
 */
export async function run(
  paths: readonly string[],
  options: RunOptions,
  version: string,
  output: Output,
  failpoint?: Failpoint,
): Promise<ExitCode> {
  const signals = new StopSignals();
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
    failpoint,
  });
  signals.handle((signal) => daemon.requestStop(signal));
  // Also for promises that nobody waited for.
  process.on("uncaughtException", (error) => daemon.fail(error));
  await daemon.start();
  const stopped = await daemon.stopped;
  // Another signal must not end, on its last steps, what was told to end well.
  signals.handle(() => {});
  closed(close, output);
  const code = exitCode(stopped, output);
  // All is closed. A socket kept alive or a disk that hangs is not waited for; and a process that goes by itself gives up
  // its signal handlers a tenth of a second before it is gone, so that one more SIGTERM would be its end.
  setImmediate(() => process.exit(code));
  return code;
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

/** Signals are ordinary events, handed on; those that come before there is anybody to hand them to are kept for him. */
class StopSignals {
  readonly #kept: string[] = [];
  #handler: ((signal: string) => void) | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#heard);
  }

  handle(handler: (signal: string) => void): void {
    this.#handler = handler;
    for (const signal of this.#kept.splice(0)) handler(signal);
  }

  readonly #heard = (signal: string): void => {
    const now = performance.now();
    const again = now - this.#last <= SAME_SIGNAL_MS;
    this.#last = now;
    if (again) return;
    if (this.#handler === null) this.#kept.push(signal);
    else this.#handler(signal);
  };
}

const stopSignals = ["SIGTERM", "SIGINT"] as const;

function exitCode(stopped: Stopped, output: Output): ExitCode {
  if (stopped.how === "clean") return EXIT.ok;
  if (stopped.how === "fatal") {
    const { error } = stopped;
    output.err(`baton: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    output.err("Baton stopped because it was not safe to go on. Start it again: it goes on from the ledger.");
  }
  return EXIT.failure;
}
