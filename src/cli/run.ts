/** `baton run`: load, build, start, and stay until told to stop. */
import { createCodexAgent } from "../agent/codex/codex.ts";
import { realClock } from "../daemon/clock.ts";
import { Daemon, type Stopped } from "../daemon/daemon.ts";
import type { Workflow } from "../domain/settings.ts";
import { Facts } from "../facts/facts.ts";
import { createLog } from "../facts/log.ts";
import { Redactor } from "../facts/redact.ts";
import { LedgerError, type Ledger } from "../ledger/ledger.ts";
import { openLedger, type LedgerOptions } from "../ledger/sqlite.ts";
import { linearGraphqlTool } from "../tracker/linear/graphql-tool.ts";
import { createLinearTracker } from "../tracker/linear/linear.ts";
import { bashHooks } from "../workspace/bash.ts";
import { createDiskWorkspaces } from "../workspace/disk.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import type { Output } from "./output.ts";
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
  const redactor = new Redactor();
  const keys = new Set<string>();
  const facts = new Facts(redactor);
  const pretty = options.logFormat === undefined ? process.stderr.isTTY : options.logFormat === "pretty";
  facts.subscribe(createLog({ pretty, level: options.logLevel }));
  const clock = realClock();
  const ledger = openAt(first, {
    redact: (value) => redactor.deep(value),
    onTrouble: (error) =>
      facts.publish({ type: "warning", message: `${error.message}. ${error.hint}`, at: clock.now() }),
  });
  const daemon = new Daemon({
    version,
    files,
    warnings,
    clock,
    ledger,
    facts,
    onLoaded: ({ settings }) => {
      keys.add(settings.tracker.apiKey);
      redactor.add(settings.tracker.apiKey);
    },
    makeTracker: ({ settings }, news) => createLinearTracker(settings.tracker, news, clock.now),
    toolsFor: (tracker, publish) => [linearGraphqlTool(tracker, publish)],
    agent: createCodexAgent({ clock: clock.now, env: process.env, version }),
    workspaces: createDiskWorkspaces({
      run: bashHooks({ environment: process.env, secrets: () => [...keys] }),
      now: () => performance.now(),
    }),
  });
  const release = onSignals((signal) => daemon.requestStop(signal));
  await daemon.start();
  const stopped = await daemon.stopped;
  release();
  close(ledger, output);
  return exitCode(stopped, output);
}

function openAt(first: Workflow, options: LedgerOptions): Ledger {
  try {
    return openLedger(ledgerPath(first), options);
  } catch (error) {
    if (error instanceof LedgerError) throw new CliError(EXIT.failure, `${error.message}\n${error.hint}`);
    throw error;
  }
}

/** Closing writes the last facts; when they cannot be written, everything acknowledged is on disk all the same. */
function close(ledger: Ledger, output: Output): void {
  try {
    ledger.close();
  } catch (error) {
    output.err(`baton: ${error instanceof LedgerError ? `${error.message}. ${error.hint}` : String(error)}`);
  }
}

/** Signals are ordinary events; the handler only hands them on. */
function onSignals(handle: (signal: string) => void): () => void {
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
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
