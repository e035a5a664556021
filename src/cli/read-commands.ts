/** The commands that ask the ledger: their options and help. What they do is loaded when they are called. */
import type { Command } from "commander";
import type { Outcome } from "../domain/domain.ts";
import type { ExitCode } from "./exit.ts";
import { countUpTo, oneOf, someText, withLedger } from "./options.ts";
import type { Output } from "../terminal/terminal.ts";
import type { RunsOptions } from "./runs.ts";
import type { ShowOptions } from "./show.ts";
import type { StatusOptions } from "./status.ts";

type Finish = (code: ExitCode) => void;

/** Every run of a busy year; a script that wants more can ask SQLite. */
const RUNS_MAX = 100_000;
const EVENTS_MAX = 100_000;

const outcomes = [
  "running",
  "completed",
  "failed",
  "timed_out",
  "stalled",
  "canceled",
  "interrupted",
  "lost",
] as const satisfies readonly (Outcome | "running")[];

export function addReadCommands(baton: Command, output: Output, finish: Finish): void {
  withLedger(baton.command("status"))
    .summary("whether it serves, what goes on, and what waits for a person")
    .description(
      "Says whether a daemon serves, what is paused or held, which tickets are running, parked or waiting and why, and what went wrong lately. Exit code 0: it serves, 1: it does not, 2: it does and something is wrong.",
    )
    .option("--json", "print it as JSON")
    .addHelpText("after", STATUS_HELP)
    .action(async (options: StatusOptions) => {
      const { status } = await import("./status.ts");
      finish(await status(options, output));
    });

  withLedger(baton.command("runs"))
    .summary("what was done and what it cost")
    .description(
      "Lists the runs of the ledger, newest first, with a line of totals. A daemon may be running.",
    )
    .option("--issue <id>", "only runs of this issue (identifier or id)", someText)
    .option("--workflow <name>", "only runs of this workflow", someText)
    .option("--outcome <outcome>", `only runs that ended so: ${outcomes.join(", ")}`, oneOf(...outcomes))
    .option("--limit <n>", "at most so many", countUpTo(RUNS_MAX), 20)
    .option("--json", "print a JSON array")
    .addHelpText("after", RUNS_HELP)
    .action(async (options: RunsOptions) => {
      const { runs } = await import("./runs.ts");
      finish(await runs(options, output));
    });

  withLedger(baton.command("show"))
    .summary("everything that happened to one ticket, or in one run")
    .description(
      "Asks the tracker for the ticket and shows every gate between it and a start, what holds it now and why, its runs, and what happened in them: turns, commands, tool calls, tokens, outcome.",
    )
    .argument("<issue|run>", "an identifier (MT-12), an issue id, or a run (r7)")
    .option(
      "--events <n>",
      "at most so many entries of the timeline, the last ones",
      countUpTo(EVENTS_MAX),
      200,
    )
    .option("--offline", "ask no tracker: only what the ledger knows")
    .option("-v, --verbose", "also entries that only matter when looking for a fault")
    .option("--told", "instead of that: what each turn was given")
    .option("--json", "print {issue, runs, timeline} as JSON")
    .addHelpText("after", SHOW_HELP)
    .action(async (name: string, options: ShowOptions) => {
      const { show } = await import("./show.ts");
      finish(await show(name, options, output));
    });
}

const STATUS_HELP = `
Examples:
  $ baton status
  $ baton status --json | jq '.issues[] | select(.claim.phase == "parked")'
  $ watch -n 5 baton status
  $ baton status > /dev/null; echo $?        as a health check

It reads the ledger and asks nobody: what the tracker knows by now may be newer.`;

const RUNS_HELP = `
Examples:
  $ baton runs                              the last 20 of the ledger
  $ baton runs --issue MT-12                all of one ticket
  $ baton runs --outcome failed --limit 5   the last five that failed
  $ baton runs --json | jq '[.[].tokens.total_tokens] | add'
  $ baton runs --ledger /srv/baton/.baton/ledger.db

The ledger is --ledger, else that of --workflow-file, else BATON_LEDGER, else
that of ./WORKFLOW.md (.baton/ledger.db beside it, unless the file says where).
Neither a key nor a valid workflow is needed.`;

const SHOW_HELP = `
Examples:
  $ baton show MT-12             why it is (not) running, what it did, its cost
  $ baton show r7 --verbose      one run with every detail
  $ baton show r7 --told         the prompt or guidance of each of its turns
  $ baton show MT-12 --json | jq '.issue.claim'

Times in the timeline count from the start of the run.
Exit code 1 when neither the ledger nor the tracker knows it.`;
