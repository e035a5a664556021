/** Exit codes, as docs/CLI.md explains them, and the errors that carry them. */

/** `degraded` is the answer of `baton status` alone, and is not to be taken for a mistake in the options. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  configuration: 3,
  locked: 4,
  prerequisite: 5,
  degraded: 2,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something a person has to know before anything else can happen: shown as it is, without a stack trace. */
export class CliError extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.name = "CliError";
    this.code = code;
  }
}
