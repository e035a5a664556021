/** Options that several commands share, and how their values are read. */
import { InvalidArgumentError, Option, type Command } from "commander";

/** Reads one of a few words. */
export const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (text: string): T => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
    return found;
  };

/** Reads a whole number from 1 to `max`. */
export const countUpTo =
  (max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < 1 || number > max)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
    return number;
  };

/** Reads text that is not empty: `--ledger ""` is a script whose variable was not set. */
export const someText = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
};

/** `--ledger` and `--workflow-file`, of every command that asks the ledger. */
export const withLedger = (command: Command): Command =>
  command
    .addOption(new Option("--ledger <path>", "the ledger to read (also: BATON_LEDGER)").argParser(someText))
    .addOption(
      new Option("--workflow-file <path>", "read the ledger of this WORKFLOW.md").argParser(someText),
    );
