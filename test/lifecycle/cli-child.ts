/** The program as a child process with a small environment of its own. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fastStart, program as programOf } from "../programs.ts";

const program = programOf("src/main.ts");

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `baton ARGS` to its end. */
export const baton = (args: readonly string[], where: Where): Promise<Ended> =>
  ended(process.execPath, [program, ...args], where);

/** Runs a line of shell, with `$BATON` standing for the program. */
export const shell = (line: string, { cwd, env }: Where): Promise<Ended> =>
  ended("bash", ["-c", line], { cwd, env: { ...env, BATON: `${process.execPath} ${program}` } });

async function ended(file: string, args: readonly string[], { cwd, env }: Where): Promise<Ended> {
  const child = spawn(file, args, {
    cwd,
    // A home of its own keeps the login profile of whoever runs the tests out of it.
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...fastStart, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, out, err };
}
