/** The commands for work saved from removed workspaces: their options and help. */
import type { Command } from "commander";
import type { ExitCode } from "./exit.ts";
import { someText, withLedger } from "./options.ts";
import type { Output } from "../terminal/terminal.ts";
import type { RescueOptions, RestoreOptions } from "./rescue.ts";

type Finish = (code: ExitCode) => void;

export function addRescueCommands(baton: Command, output: Output, finish: Finish): void {
  const rescue = baton
    .command("rescue")
    .summary("work that was saved before its workspace was removed")
    .description(
      "A workspace with unpushed commits or changed files is saved beside the ledger before it is removed, and kept for rescue.retention_days.",
    )
    .addHelpText("after", RESCUE_HELP);

  withLedger(rescue.command("list"))
    .summary("what is there, newest first")
    .description("Lists what was saved, newest first. A daemon may be running.")
    .option("--json", "print a JSON array")
    .action(async (options: RescueOptions) =>
      finish(await (await import("./rescue.ts")).list(options, output)),
    );

  withLedger(rescue.command("show"))
    .summary("what one rescue holds: commits, files, what was left out")
    .description("Shows what one rescue holds.")
    .argument("<rescue>", "its id, or an issue (MT-12): its newest one")
    .option("--json", "print the manifest")
    .action(async (name: string, options: RescueOptions) =>
      finish(await (await import("./rescue.ts")).show(name, options, output)),
    );

  withLedger(rescue.command("restore"))
    .summary("make a directory of it: the commits, and the files over them")
    .description(
      "Makes a new directory with the saved commits, and the saved files over them. Never overwrites.",
    )
    .argument("<rescue>", "its id, or an issue (MT-12): its newest one")
    .option("--to <directory>", "where; it must not exist (default: ./ and the rescue's id)", someText)
    .option("--json", "print {id, to, commits, files, notes}")
    .action(async (name: string, options: RestoreOptions) =>
      finish(await (await import("./rescue.ts")).restoreTo(name, options, output)),
    );
}

const RESCUE_HELP = `
Examples:
  $ baton rescue list
  $ baton rescue show MT-12                     the newest of this ticket
  $ baton rescue restore MT-12 --to ~/mt-12     a checkout to go on with
  $ baton rescue list --json | jq '.[].id'

Ignored files (.gitignore) are not saved. Nothing that an agent wrote is run.`;
