/**
 * Git on this machine, for repositories that an agent could write to. It never meets the agent's configuration: it runs
 * with a git directory of ours (shadow.ts), without the system's and the user's configuration, hooks and credentials,
 * and may fetch nothing.
 */
import { type CommandResult, runCommand } from "../../processes/processes.ts";
import { holding } from "../files/files.ts";
import { Records } from "./records.ts";
import { WorkspaceError } from "../port.ts";

export interface GitCall {
  readonly gitDir: string;
  /** Where its objects are, when they are not in `gitDir`. Git goes there by this name, whatever it stands for. */
  readonly objects?: string;
  /** The checkout, for commands that look at one. */
  readonly worktree: string | null;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** What ends a record of the output. */
  readonly separator: "\n" | "\0";
  /** Gets each record as it comes. */
  readonly onRecord: (record: string) => void;
}

/** A status of the Linux kernel takes some seconds on a cold disk. */
export const GIT_MAX_MS = 2 * 60_000;

/**
 * What could run a program or reach the network is shut off here once more, although the configuration of the git
 * directory is ours: a second wall for the day when somebody calls this with another one.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.sshCommand=false",
  "core.alternateRefsCommand=true",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "credential.helper=",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
  "init.templateDir=",
];

export const gitEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  LC_ALL: "C",
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  // A clone without its blobs would ask its remote for them, with the agent's remote and our credentials.
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
});

/**
 * Runs git to its end, or until `onRecord` throws.
 * @throws WorkspaceError with git's own words when it fails or takes longer than `GIT_MAX_MS`; what `onRecord` throws.
 */
export async function git(call: GitCall): Promise<void> {
  const { gitDir, worktree, args, separator, signal } = call;
  const refusal = new AbortController();
  const records = new Records(separator, (record) => {
    // Thrown here, in an event of a stream, it would be nobody's and end the process.
    if (refusal.signal.aborted) return;
    try {
      call.onRecord(record);
    } catch (cause) {
      refusal.abort(cause);
    }
  });
  const bounded = { ...call, signal: AbortSignal.any([signal, refusal.signal]) };
  // In the checkout itself and with names from there: commands that are already in it do not go there by its path.
  const { end, output } =
    worktree === null
      ? await run(bounded, records, "/", [])
      : await holding(worktree, ({ here }) => run(bounded, records, here, ["--work-tree=."]));
  records.end();
  refusal.signal.throwIfAborted();
  // Git goes on without what it may not read; what is in there would count as nothing.
  const isBlind = /^warning: could not open directory .*: Permission denied$/m.test(output);
  if (end.type === "exited" && end.code === 0 && !isBlind) return;
  const said = output === "" ? JSON.stringify(end) : output.split("\n").slice(0, 3).join("; ");
  throw new WorkspaceError(
    "workspace_error",
    `git ${args.find((arg) => /^[a-z]+(-[a-z]+)*$/.test(arg)) ?? ""} in ${worktree ?? gitDir}: ${said}`,
    { hint: "Look at the repository: it is damaged, too large, or something in it makes git wait." },
  );
}

const run = (
  { gitDir, objects, args, signal }: GitCall,
  records: Records,
  cwd: string,
  place: readonly string[],
): Promise<CommandResult> =>
  runCommand({
    file: "git",
    args: [
      "--no-pager",
      `--git-dir=${gitDir}`,
      ...place,
      ...settings.flatMap((setting) => ["-c", setting]),
      ...args,
    ],
    cwd,
    env: { ...gitEnvironment(), ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }) },
    timeoutMs: GIT_MAX_MS,
    signal,
    onStdout: (chunk) => records.add(chunk),
  });

/** The output's records as text. */
export async function gitLines(call: Omit<GitCall, "onRecord">): Promise<readonly string[]> {
  const lines: string[] = [];
  await git({ ...call, onRecord: (record) => lines.push(record) });
  return lines;
}
