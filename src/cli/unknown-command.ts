/** The answer to a word that is no command and no file. */
import { closest } from "../workflow/workflow.ts";
import { CliError, EXIT } from "./exit.ts";

export function unknownCommand(word: string, commands: readonly string[]): CliError {
  if (commands.includes(word))
    return new CliError(EXIT.usage, `the command comes before its options: baton ${word} ...`);
  const meant = closest(word, commands);
  const help = "baton --help shows every command.";
  const hint = meant === null ? help : `Did you mean \`baton ${meant}\`? ${help}`;
  return new CliError(
    EXIT.usage,
    `there is no command \`${word}\`, and no workflow file of that name here. ${hint}`,
  );
}
