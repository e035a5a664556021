/** `baton run`: load, build, start, and stay until told to stop. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compose, type Composed, type Composition, type Failpoint, type Stopped } from "../daemon/daemon.ts";
import { createLog, Facts, Redactor } from "../facts/facts.ts";
import { LedgerError, LockHeld } from "../ledger/ledger.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import type { Output } from "../terminal/terminal.ts";
import { checkAgents } from "./prerequisites.ts";
import { stackOf } from "./stack.ts";
import { promptTrial } from "../workflow/workflow.ts";
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
  keepYoungSpaceSmall();
  const { files, warnings } = loadFiles(paths, await promptTrial());
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
  signals.handle((why) => daemon.requestStop(why));
  // Also for promises that nobody waited for.
  process.on("uncaughtException", (error) => daemon.fail(error));
  await daemon.start();
  setTimeout(learnHowMuchLives, FIRST_COLLECTION_MS).unref();
  const stopped = await daemon.stopped;
  // It ends well and is at its last steps: another signal must not kill it there.
  signals.handle(() => {});
  closed(close, output);
  const code = exitCode(stopped, output);
  // All is closed. A socket kept alive or a disk that hangs is not waited for; and a process that goes by itself gives up
  // its signal handlers a tenth of a second before it is gone, so that one more SIGTERM would be its end.
  setImmediate(() => process.exit(code));
  return code;
}

/**
 * V8 lets its space for new objects grow to 48 MB before it looks for garbage, and the buffers that a talkative agent's
 * output came in wait for that too. Kept small, a busy daemon needs 27 MB less and a long turn 78 MB less, for a twelfth
 * more CPU (docs/PERFORMANCE.md).
 */
function keepYoungSpaceSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** After the start, with its first tickets under way. */
const FIRST_COLLECTION_MS = 10_000;

/**
 * V8 looks through its space for old objects when that has grown by a multiple of what lived at the last look, and before
 * the first one it takes 70 MB for granted. One look early, some 20 ms, and the multiple is one of 19 MB.
 */
function learnHowMuchLives(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function composed(composition: Composition): Composed {
  try {
    return compose(composition);
  } catch (error) {
    if (error instanceof LockHeld) throw new CliError(EXIT.locked, error.message);
    if (error instanceof LedgerError) {
      // A file that belongs to somebody else is not another one at the next try.
      const code = error.kind === "foreign" ? EXIT.configuration : EXIT.failure;
      throw new CliError(code, `${error.message}\n${error.hint}`);
    }
    throw error;
  }
}

/** Closing writes the last facts; when they cannot be written, everything acknowledged is on disk all the same. */
function closed(close: () => void, output: Output): void {
  try {
    close();
  } catch (error) {
    output.err(`baton: ${error instanceof LedgerError ? plainly(error) : String(error)}`);
  }
}

const plainly = ({ message, hint }: LedgerError): string => `${message}. ${hint}`;

/** A terminal's Ctrl-C reaches us once from the terminal and once more from npm, when npm runs us. */
const SAME_SIGNAL_MS = 300;

/**
 * Signals are ordinary events, handed on; those that come before there is anybody to hand them to are kept until there
 * is somebody.
 */
class StopSignals {
  readonly #kept: string[] = [];
  #handler: ((why: string) => void) | null = null;
  #last = NEVER;

  constructor() {
    for (const signal of stopSignals) process.on(signal, this.#heard);
  }

  handle(handler: (why: string) => void): void {
    this.#handler = handler;
    for (const why of this.#kept.splice(0)) handler(why);
  }

  readonly #heard = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    const before = this.#last;
    // The system, the shell and npm may each tell of a terminal that was closed: nobody is there who asks twice.
    if (signal === "SIGHUP" && before !== NEVER) return;
    this.#last = now;
    if (now - before <= SAME_SIGNAL_MS) return;
    const why = signal === "SIGHUP" ? "the terminal was closed (SIGHUP)" : signal;
    if (this.#handler === null) this.#kept.push(why);
    else this.#handler(why);
  };
}

const NEVER = Number.NEGATIVE_INFINITY;

const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

function exitCode(stopped: Stopped, output: Output): ExitCode {
  if (stopped.how === "clean") return EXIT.ok;
  if (stopped.how === "fatal") {
    const { error } = stopped;
    if (error instanceof LedgerError && error.kind === "lost") {
      output.err(`baton: ${plainly(error)}`);
      output.err("Baton stopped because nothing that it does could be remembered.");
      // Nobody is to start it again by itself: the next start would begin with an empty ledger.
      return EXIT.prerequisite;
    }
    // What a person can mend needs no trace of ours.
    const isOutside = error instanceof LedgerError && error.mayPass;
    output.err(`baton: ${isOutside ? plainly(error) : stackOf(error)}`);
    output.err(
      isOutside && stopped.isAsked === true
        ? "Baton stopped as it was asked to. The end of its last runs could not be written down: the next start finds out, and goes on with them."
        : "Baton stopped because it was not safe to go on. Start it again: it goes on from the ledger.",
    );
  }
  return EXIT.failure;
}
