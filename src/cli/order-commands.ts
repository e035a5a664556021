/** The commands that order the daemon: their options and help. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { PARK_REASONS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../domain/domain.ts";
import type { ExitCode } from "./exit.ts";
import { someText, withLedger } from "./options.ts";
import type { PauseOptions, ReleaseOptions } from "./orders.ts";
import type { Output } from "../terminal/terminal.ts";

type Finish = (code: ExitCode) => void;

export function addOrderCommands(baton: Command, output: Output, finish: Finish): void {
  withLedger(baton.command("pause"))
    .summary("start nothing new until resumed; survives restarts")
    .description(
      "Starts no run and no further turn; the running turns come to their end. Reconciliation goes on.",
    )
    .option("--workflow <name>", "only this workflow", someText)
    .option("--for <time>", "resume by itself after this long, such as 90s, 30m, 2h, 1d", duration)
    .option("--why <text>", "the reason, shown wherever the pause is", someText)
    .option("--json", "print {order, obeyed, answer}")
    .addHelpText("after", PAUSE_HELP)
    .action(async (options: PauseOptions) =>
      finish(await (await import("./orders.ts")).pause(options, output)),
    );

  withLedger(baton.command("resume"))
    .summary("end a pause")
    .description("Ends the pause of one workflow, or all pauses.")
    .option("--workflow <name>", "only this workflow", someText)
    .option("--json", "print {order, obeyed, answer}")
    .action(async (options: PauseOptions) =>
      finish(await (await import("./orders.ts")).resume(options, output)),
    );

  withLedger(baton.command("drain"))
    .summary("take no new work, let running turns end, then end the daemon")
    .description(
      "For upgrades: nothing is interrupted. Tickets go on with the same Codex thread at the next start.",
    )
    .option("--why <text>", "the reason, for the log", someText)
    .option("--json", "print {order, obeyed, answer}")
    .action(async (options: PauseOptions) =>
      finish(await (await import("./orders.ts")).drain(options, output)),
    );

  withLedger(baton.command("release"))
    .summary("let go of a parked ticket or of all, or try a waiting one now")
    .description(
      "Sets the ticket's counters back, so that the brake that parked it does not park it again at once.",
    )
    .argument("[issue]", "an identifier (MT-12) or an issue id")
    .option("--all", "every parked ticket")
    .addOption(
      new Option("--reason <reason>", "with --all: only those parked for this").choices(PARK_REASONS),
    )
    .option("--add-runs <n>", "so many runs on top of limits.max_runs_per_issue", count, 0)
    .option("--add-tokens <n>", "so many tokens on top of limits.max_tokens_per_issue", count, 0)
    .option("--new-thread", "begin a new Codex thread, with a hand-over instead of its memory")
    .option("--json", "print {order, obeyed, answer}")
    .action(async (issue: string | undefined, options: ReleaseOptions) =>
      finish(await (await import("./orders.ts")).release(issue, options, output)),
    );
}

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

function duration(text: string): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (!Number.isFinite(ms) || ms <= 0)
    throw new InvalidArgumentError("It must be a time such as 90s, 30m, 2h or 1d.");
  return ms;
}

function count(text: string): number {
  const number = Number(text.replaceAll("_", ""));
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError("It must be a whole number.");
  return number;
}

const PAUSE_HELP = `
Examples:
  $ baton pause --why "release freeze"       everything, until baton resume
  $ baton pause --for 2h                     everything, for two hours
  $ baton pause --workflow triage            one workflow; the others go on`;
