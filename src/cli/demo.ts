/** `baton demo`: runs the demo, shows it, and says what to look at afterwards. */
import { homedir } from "node:os";
import { join, relative } from "node:path";
import {
  DemoError,
  type DemoErrorKind,
  type DemoResult,
  lineScreen,
  LiveScreen,
  outcomeLines,
  type Place,
  runDemo,
  type Screen,
  takePlace,
  type World,
} from "../demo/demo.ts";
import { packageRoot } from "../package-root.ts";
import { machine, weaknessOf } from "../processes/processes.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";

/** 0 when all tickets came out as they should, else 1 with what is wrong. @throws CliError when it cannot begin. */
export async function demo(version: string, output: Output): Promise<ExitCode> {
  try {
    const place = takePlace(process.env);
    try {
      const open = opening(place, output);
      return report(await runDemo({ place, version, env: process.env, open, onStop }), place, output);
    } finally {
      place.release();
    }
  } catch (error) {
    if (error instanceof DemoError) throw new CliError(codes[error.kind], error.message);
    throw error;
  }
}

const codes = {
  prerequisite: EXIT.prerequisite,
  busy: EXIT.locked,
  place: EXIT.failure,
} as const satisfies Record<DemoErrorKind, ExitCode>;

/** A terminal's Ctrl-C reaches this process twice when npm started it: by the terminal and by npm. */
const SAME_MS = 300;

function onStop(stop: (signal: string) => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let last = Number.NEGATIVE_INFINITY;
  const once = (signal: string): void => {
    if (performance.now() - last > SAME_MS) stop(signal);
    last = performance.now();
  };
  for (const signal of signals) process.on(signal, once);
  return () => {
    for (const signal of signals) process.off(signal, once);
  };
}

const opening =
  (place: Place, output: Output) =>
  ({ codex, unsandboxed }: Pick<World, "codex" | "unsandboxed">): Screen => {
    const paint = paintFor(output);
    output.out(`${paint("bold", "Baton demo")}: six tickets, a daemon, and the real codex ${codex.version}.`);
    output.out("Board and model are stand-ins on this machine: no account, no network.");
    output.out("One run is made to fail, and is tried again ten seconds later.");
    if (unsandboxed !== null) {
      output.out(paint("yellow", `Codex cannot sandbox commands on this machine: ${unsandboxed}`));
      output.out("The demo's commands are its own, so they run without. For real work see: baton doctor");
    }
    const weakness = weaknessOf(machine.source);
    if (weakness !== null) output.out(paint("yellow", `Not shown: ${weakness}.`));
    output.out(`Everything it makes is in ${homely(place.path)}\n`);
    const screen = { terminal: process.stdout, paint };
    return isLive(output) ? new LiveScreen(screen) : lineScreen(screen);
  };

/** A block that is redrawn is for a person at a terminal that can do it. */
const isLive = ({ isTerminal }: Output): boolean =>
  isTerminal &&
  ["NO_COLOR", "CI"].every((name) => (process.env[name] ?? "") === "") &&
  process.env["TERM"] !== "dumb";

function report(result: DemoResult, place: Place, output: Output): ExitCode {
  const { outcomes, problems, tookMs } = result;
  const paint = paintFor(output);
  const seconds = (tookMs / 1000).toFixed(1);
  output.out("");
  for (const line of outcomeLines(outcomes, process.stdout.columns ?? 100, paint)) output.out(line);
  output.out("");
  if (problems.length > 0) {
    output.err(`baton: the demo did not come out as it should (${seconds} s):`);
    for (const problem of problems) output.err(`- ${problem}`);
    output.err(`The log is ${homely(place.log)}. To see what happened to a ticket:`);
    output.err(`  ${command("show DEMO-1", place)}`);
    return EXIT.failure;
  }
  const done = outcomes.filter(({ wanted }) => wanted).length;
  const left = outcomes.length - done;
  output.out(
    `${paint("green", `${done} tickets done, ${left} left alone`)} in ${seconds} s. What happened, and what did it cost?`,
  );
  output.out(`  ${command("runs", place)}`);
  output.out(`  ${command("show DEMO-1", place)}`);
  output.out(`  git -C ${homely(place.origin)} log --oneline --graph --all`);
  output.out("For your own board, in an empty directory: set LINEAR_API_KEY, and");
  output.out(`  cp ${homely(join(packageRoot, "workflows/implement.md"))} WORKFLOW.md`);
  return EXIT.ok;
}

/** In the form that works: from a checkout by npm, else as it was installed. */
function command(words: string, { ledger }: Place): string {
  const name = import.meta.url.endsWith(".ts") ? "npm run -s baton --" : "baton";
  return `${name} ${words} --ledger ${homely(ledger)}`;
}

/** A path as people write it. */
function homely(path: string): string {
  const below = relative(homedir(), path);
  return below.startsWith("..") || below === path ? path : `~/${below}`;
}
