/** `baton ledger ...`: care of the ledger's file. Options and help; what the commands do is loaded when they are called. */
import type { Command } from "commander";
import type { ExitCode } from "./exit.ts";
import type { BackupOptions, CheckOptions, PruneOptions } from "./ledger.ts";
import type { LedgerChoice } from "./ledger-at.ts";
import { countUpTo, withLedger } from "./options.ts";
import type { Output } from "../terminal/terminal.ts";

type Finish = (code: ExitCode) => void;

/** A hundred years. */
const DAYS_MAX = 36_500;

export function addLedgerCommands(baton: Command, output: Output, finish: Finish): void {
  const ledger = baton
    .command("ledger")
    .summary("check, back up, prune or export the ledger")
    .description("Care of the ledger's file. A daemon may be running.")
    .addHelpText("after", LEDGER_HELP);

  withLedger(ledger.command("check"))
    .summary("is everything in it as it was written?")
    .description(
      "Looks at every page and every row, and at what the tables say about each other. Changes nothing. Exit code 1 when something is wrong.",
    )
    .option("--json", "print {path, ok, checks} as JSON")
    .addHelpText("after", CHECK_HELP)
    .action(async (options: CheckOptions) =>
      finish(await (await import("./ledger.ts")).check(options, output)),
    );

  withLedger(ledger.command("backup"))
    .summary("write a whole copy to a new file")
    .description(
      "Copies the ledger as it is at one moment, looks at the copy, and only then gives it its name. Never replaces a file.",
    )
    .argument("<file>", "where the copy goes; must not exist")
    .option("--json", "print {path, bytes} as JSON")
    .addHelpText("after", BACKUP_HELP)
    .action(async (file: string, options: BackupOptions) =>
      finish(await (await import("./ledger.ts")).backup(file, options, output)),
    );

  withLedger(ledger.command("prune"))
    .summary("forget old history now")
    .description(
      "Deletes history (what happened, step by step) that is older than so many days, a little at a time. Runs, turns, tokens, claims and limits are kept for good. A daemon does the same every hour.",
    )
    .option("--days <n>", "keep so many (default: ledger.retention_days, else 30)", countUpTo(DAYS_MAX))
    .option("--dry-run", "only say what would go")
    .option("--json", "print {before, dry_run, tables} as JSON")
    .addHelpText("after", PRUNE_HELP)
    .action(async (options: PruneOptions) =>
      finish(await (await import("./ledger.ts")).prune(options, output)),
    );

  withLedger(ledger.command("export"))
    .summary("print every row as a line of JSON")
    .description(
      "Prints one JSON object a line: first what follows, then each row of each table. docs/LEDGER.md says what they mean.",
    )
    .addHelpText("after", EXPORT_HELP)
    .action(async (options: LedgerChoice) =>
      finish(await (await import("./ledger.ts")).exported(options, process.stdout)),
    );
}

const LEDGER_HELP = `
Examples:
  $ baton ledger check
  $ baton ledger backup /backup/ledger-$(date +%F).db
  $ baton ledger prune --days 7 --dry-run
  $ baton ledger export | gzip > ledger.jsonl.gz

The ledger is chosen as \`baton runs\` does it: --ledger, --workflow-file,
BATON_LEDGER, ./WORKFLOW.md.`;

const CHECK_HELP = `
Examples:
  $ baton ledger check
  $ baton ledger check --json | jq '.checks[] | select(.problems != [])'

The daemon makes most of these checks at every start. When it finds damage it
keeps the file and goes on with what can be read.`;

const BACKUP_HELP = `
Examples:
  $ baton ledger backup ledger-backup.db
  $ baton ledger backup /backup/ledger.db --json

To restore: stop the daemon, move the ledger and its -wal and -shm away, copy
the backup to the ledger's place, start the daemon.`;

const PRUNE_HELP = `
Examples:
  $ baton ledger prune                       as the daemon does it
  $ baton ledger prune --days 7              keep one week
  $ baton ledger prune --days 7 --dry-run    only say what would go

The file keeps its size, and the room in it is used again; a backup is compact.`;

const EXPORT_HELP = `
Examples:
  $ baton ledger export | jq -c 'select(.table == "runs") | .row'
  $ baton ledger export > ledger.jsonl

Rows are read in pages while a daemon writes. For one moment of everything,
export a backup: baton ledger export --ledger backup.db`;
