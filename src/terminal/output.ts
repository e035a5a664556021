/** Where commands write, and whether a person is looking. */
import { isatty } from "node:tty";

export interface Output {
  /** One line (or several) to standard output. */
  readonly out: (text: string) => void;
  /** One line (or several) to standard error. */
  readonly err: (text: string) => void;
  /** Standard output is a terminal: colours and progress make sense (NO_COLOR switches colours off). */
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** The process's own streams. A reader that went away (`| head`) is no error. */
export function processOutput(): Output {
  process.stdout.on("error", ignoreClosedPipe);
  process.stderr.on("error", ignoreClosedPipe);
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    isTerminal: isatty(process.stdout.fd),
    columns: process.stdout.columns ?? 100,
  };
}

/** EPIPE: `| head` has read enough. EIO: the terminal was closed. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
}
