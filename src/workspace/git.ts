/**
 * Git on this machine, for repositories that an agent could write to. It never meets the agent's configuration: it runs
 * with a git directory of ours (shadow.ts), without the system's and the user's configuration, hooks and credentials,
 * and may fetch nothing.
 */
import { runCommand } from "./command.ts";
import { WorkspaceError } from "./workspace.ts";

export interface GitCall {
  readonly gitDir: string;
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
export const gitMaxMs = 2 * 60_000;

/** A record is a path, or a line with two ids and a name. */
const recordBytesMax = 64 * 1_024;

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

/** Runs git to its end. @throws WorkspaceError with git's own words when it fails or takes longer than `gitMaxMs`. */
export async function git({ gitDir, worktree, args, signal, separator, onRecord }: GitCall): Promise<void> {
  const records = new Records(separator, onRecord);
  const place = [`--git-dir=${gitDir}`, ...(worktree === null ? [] : [`--work-tree=${worktree}`])];
  const { end, output } = await runCommand({
    file: "git",
    args: ["--no-pager", ...place, ...settings.flatMap((setting) => ["-c", setting]), ...args],
    cwd: "/",
    env: gitEnvironment(),
    timeoutMs: gitMaxMs,
    signal,
    onStdout: (chunk) => records.add(chunk),
  });
  records.end();
  if (end.type === "exited" && end.code === 0) return;
  const said = output === "" ? JSON.stringify(end) : output.split("\n").slice(0, 3).join("; ");
  throw new WorkspaceError(
    "workspace_error",
    `git ${args.find((arg) => /^[a-z]+(-[a-z]+)*$/.test(arg)) ?? ""} in ${worktree ?? gitDir}: ${said}`,
  );
}

/** The output's records as text. */
export async function gitLines(call: Omit<GitCall, "onRecord">): Promise<readonly string[]> {
  const lines: string[] = [];
  await git({ ...call, onRecord: (record) => lines.push(record) });
  return lines;
}

/** Cuts a stream into records. Bytes that are no UTF-8 become U+FFFD. */
class Records {
  readonly #separator: string;
  readonly #onRecord: (record: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(separator: string, onRecord: (record: string) => void) {
    this.#separator = separator;
    this.#onRecord = onRecord;
  }

  add(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(this.#separator); end !== -1; end = bytes.indexOf(this.#separator)) {
      this.#onRecord(bytes.toString("utf8", 0, end));
      bytes = bytes.subarray(end + 1);
    }
    // Nothing is that long; what is, is cut and then names nothing.
    this.#rest = Buffer.from(bytes.subarray(0, recordBytesMax));
  }

  end(): void {
    if (this.#rest.length > 0) this.#onRecord(this.#rest.toString("utf8"));
    this.#rest = Buffer.alloc(0);
  }
}
