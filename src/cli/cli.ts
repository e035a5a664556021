/** Commands, options and help. Each command lives in its own file and is loaded when it is called. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { addCheckCommands } from "./check-commands.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { forbiddenBy } from "./forbidden.ts";
import { addLedgerCommands } from "./ledger-commands.ts";
import { oneOf } from "./options.ts";
import { type Output, processOutput } from "../terminal/terminal.ts";
import { addOrderCommands } from "./order-commands.ts";
import { packageRoot } from "../package-root.ts";
import { addReadCommands } from "./read-commands.ts";
import { addRescueCommands } from "./rescue-commands.ts";
import { stackOf } from "./stack.ts";

/** This program's version. */
const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "0";
};

/** Runs the command named by `argv` and returns the exit code. Never throws for what a person did wrong. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const output = processOutput();
  let code: ExitCode = EXIT.ok;
  const finish = (result: ExitCode): void => {
    code = result;
  };
  try {
    await program(output, finish).parseAsync([...argv]);
    return code;
  } catch (error) {
    return failed(error, output);
  }
}

function failed(error: unknown, output: Output): ExitCode {
  // Commander has written its own message (or the help that was asked for).
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliError) {
    output.err(`baton: ${error.message}`);
    return error.code;
  }
  const forbidden = forbiddenBy(error);
  if (forbidden !== null) return failed(forbidden, output);
  output.err(`baton: ${stackOf(error)}`);
  output.err("This is a bug in Baton. The ledger is intact: what was acknowledged is on disk.");
  return EXIT.failure;
}

function program(output: Output, finish: (code: ExitCode) => void): Command {
  const baton = new Command("baton")
    .description(
      "Hands labelled Linear tickets to Codex agents, one workspace each, and keeps an account of everything.",
    )
    .version(version())
    .showHelpAfterError("(baton --help shows every command, baton COMMAND --help explains one)")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text.trimEnd()),
      writeErr: (text) => output.err(text.trimEnd()),
    })
    .addHelpText("after", EXAMPLES);

  baton
    .command("run", { isDefault: true })
    .summary("work on tickets until stopped (the default)")
    .description(RUN_HELP)
    .argument("[workflow...]", "WORKFLOW.md files; one daemon runs them all", [])
    .option(
      "--log-format <format>",
      "pretty or json (default: pretty in a terminal)",
      oneOf("pretty", "json"),
    )
    .option(
      "--log-level <level>",
      "debug, info, warn or error",
      oneOf("debug", "info", "warn", "error"),
      "info",
    )
    .action(
      async (
        paths: string[],
        options: { logFormat?: "pretty" | "json"; logLevel: "debug" | "info" | "warn" | "error" },
      ) => {
        const [first] = paths;
        if (baton.args[0] !== "run" && first !== undefined && mayBeCommand(first)) {
          const { unknownCommand } = await import("./unknown-command.ts");
          throw unknownCommand(
            first,
            baton.commands.map((command) => command.name()),
          );
        }
        const { run } = await import("./run.ts");
        finish(await run(paths, options, version(), output));
      },
    );

  addCheckCommands(baton, output, finish);
  addReadCommands(baton, output, finish);
  addOrderCommands(baton, output, finish);
  addRescueCommands(baton, output, finish);
  addLedgerCommands(baton, output, finish);

  baton
    .command("demo")
    .summary("see it work: six tickets, the real codex, no account needed")
    .description(DEMO_HELP)
    .action(async () => {
      const { demo } = await import("./demo.ts");
      finish(await demo(version(), output));
    });

  baton
    .command("schema")
    .summary("print the JSON Schema of WORKFLOW.md's front matter")
    .description("Prints the JSON Schema of the front matter, for editors that complete and check YAML.")
    .action(async () => {
      const { schema } = await import("./schema.ts");
      finish(schema(output));
    });

  return baton;
}

/** `run` is what a command line without a command means: its first word is a file, unless it can be none. */
const mayBeCommand = (word: string): boolean => /^[a-z][a-z-]*$/i.test(word) && !existsSync(word);

const EXAMPLES = `
Examples:
  $ baton demo                     see it work; no account needed
  $ baton validate WORKFLOW.md     check a workflow, read the prompt it makes
  $ baton doctor WORKFLOW.md       check codex, its sandbox, git, the tracker key
  $ baton run WORKFLOW.md          work on tickets until stopped with Ctrl-C
  $ baton status                   what goes on now, and what waits for a person
  $ baton runs                     what was done and what it cost
  $ baton show MT-12               everything that happened to one ticket

Exit codes: 0 ok, 1 failure while running, 2 usage, 3 configuration,
4 another daemon holds the ledger, 5 something is missing (codex, git, a key,
a newer Node).`;

const RUN_HELP = `Watches the tracker and works on tickets until stopped.

The first Ctrl-C (or SIGTERM) stops new work, interrupts running turns and waits for them; the second one does not wait.
Interrupted tickets go on with the same Codex thread at the next start. Without a file, ./WORKFLOW.md is used.`;

const DEMO_HELP = `Shows Baton at work on six tickets, in about half a minute.

A board and a model on this machine take the place of Linear and OpenAI; the daemon, the codex and the commits are real.
Afterwards baton runs and baton show tell what happened. Everything is in ~/.cache/baton/demo until the next demo.`;
