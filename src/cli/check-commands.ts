/** The commands that look before a start: their options and help. What they do is loaded when they are called. */
import type { Command } from "commander";
import type { DoctorOptions } from "./doctor/doctor.ts";
import type { ExitCode } from "./exit.ts";
import { countUpTo, someText } from "./options.ts";
import type { Output } from "../terminal/terminal.ts";
import type { ValidateOptions } from "./validate.ts";

type Finish = (code: ExitCode) => void;

/** Attempts count from 1; the limits end an issue long before this. */
const ATTEMPT_MAX = 1_000;

export function addCheckCommands(baton: Command, output: Output, finish: Finish): void {
  baton
    .command("validate")
    .summary("check workflow files and show the prompt they make")
    .description(
      "Loads each WORKFLOW.md as a daemon would, and shows every problem and warning with its place, the settings in force, and the prompt for a sample issue. Asks neither tracker nor Codex.",
    )
    .argument("[workflow...]", "WORKFLOW.md files (default: ./WORKFLOW.md)", [])
    .option("--issue-json <file>", "render the prompt for the issue in this file", someText)
    .option("--attempt <n>", "render it as for the n-th repetition", countUpTo(ATTEMPT_MAX))
    .option("--json", "print a JSON array, one entry a file")
    .addHelpText("after", VALIDATE_HELP)
    .action(async (paths: string[], options: ValidateOptions) => {
      const { validate } = await import("./validate.ts");
      finish(await validate(paths, options, output));
    });

  baton
    .command("doctor")
    .summary("check codex, its sandbox, git, the tracker key and the disk")
    .description(
      "Tries out what a run needs, all at once and each within 10 seconds, and says what to do where something is missing. Changes nothing.",
    )
    .argument("[workflow]", "the WORKFLOW.md to check for (default: ./WORKFLOW.md)")
    .option("--json", "print {ok, checks} as JSON")
    .addHelpText("after", DOCTOR_HELP)
    .action(async (path: string | undefined, options: DoctorOptions) => {
      const { doctor } = await import("./doctor/doctor.ts");
      finish(await doctor(path, options, output));
    });
}

const VALIDATE_HELP = `
Examples:
  $ baton validate                            ./WORKFLOW.md
  $ baton validate workflows/*.md             several at once
  $ baton validate --attempt 2                the prompt of a second repetition
  $ baton validate --issue-json ticket.json   the prompt for your own issue:
                                              {"identifier": "MT-12", ...}
  $ baton validate --json | jq '.[].problems[]'

Exit code 3 when a file cannot be used. For completion while editing, give the
output of \`baton schema\` to your editor.`;

const DOCTOR_HELP = `
Examples:
  $ baton doctor WORKFLOW.md   everything a daemon with this file would need
  $ baton doctor               ./WORKFLOW.md; where there is none, the machine
  $ baton doctor --json | jq '.checks[] | select(.status == "fail")'

Run it as the user and in the environment that will run Baton: PATH, login and
keys are that user's. Exit code 5 when something is missing on this machine,
3 when only the workflow file is wrong.`;
