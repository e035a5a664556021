/**
 * Hooks as scripts of bash, with the workspace as working directory. A hook is trusted to do what it says, but it runs
 * among files that an agent wrote, so it knows little of the daemon's environment: how git gets in, and what it names.
 */
import { namedVariables, namesForHooks, scrubbed } from "../../domain/domain.ts";
import { type CommandEnd, loginShellMs, runCommand, SHELL_MAX_MS } from "../../processes/processes.ts";
import type { HookCall, HookOutcome, RunHook } from "./port.ts";

export interface BashOptions {
  /** The daemon's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values no hook may see, under whatever name they are passed on: the tracker keys in force. */
  readonly secrets: () => readonly string[];
  /** How long a login shell may take to begin before it counts as hanging. */
  readonly shellMaxMs?: number;
}

/**
 * `bash -lc <script>` (SPEC 9.4) in a process group of its own. The group is ended when time is up or the run is
 * stopped. After a normal end, what the script left in the background lives on: `before_run` may start a service that
 * `after_run` stops. Such a service must send its output elsewhere; the hook's own is closed soon after its end.
 */
export function bashHooks({ environment, secrets, shellMaxMs = SHELL_MAX_MS }: BashOptions): RunHook {
  return async (call) => {
    const { cwd } = call;
    const env = { ...scrubbed(environment, passed(call, environment), secrets()), ...marksOf(call) };
    const { end, output } = await runCommand({
      file: "bash",
      args: ["-lc", call.script],
      cwd,
      env,
      timeoutMs: call.of.hooks.timeoutMs,
      signal: call.signal,
    });
    const isMute = end.type === "timeout" && output === "";
    if (isMute && (await loginShellMs({ cwd, env }, shellMaxMs, call.signal)) === null)
      return shellHangs(call.of.hooks.timeoutMs, shellMaxMs);
    return outcomeOf(end, output, call.of.hooks.timeoutMs);
  };
}

/** It never got as far as the script. */
const shellHangs = (timeoutMs: number, shellMaxMs: number): HookOutcome => ({
  ok: false,
  kind: "shell_timeout",
  error:
    `did not begin within ${timeoutMs} ms: the login shell hangs, \`bash -lc true\` did not come back within ` +
    `${shellMaxMs} ms either`,
  output: "",
});

/** What the script names with a `$` it gets, and no other hook does. */
const passed = ({ script, of }: HookCall, environment: BashOptions["environment"]): readonly string[] => [
  ...of.envPass,
  ...namesForHooks(environment),
  ...namedVariables(script).map(({ name }) => name),
];

/** What a script may want to know. All are always set, or `set -u` would end it. */
function marksOf({ hook, path, of }: HookCall): Record<string, string> {
  return {
    BATON_HOOK: hook,
    BATON_ISSUE_ID: of.issueId,
    BATON_ISSUE_IDENTIFIER: of.identifier,
    BATON_RUN_ID: of.runId ?? "",
    BATON_WORKSPACE: path,
    // By this mark the processes of a run are found again, also those that left its process group.
    ...(of.mark !== null && { BATON_RUN: of.mark }),
  };
}

function outcomeOf(end: CommandEnd, output: string, timeoutMs: number): HookOutcome {
  switch (end.type) {
    case "exited":
      if (end.code === 0) return { ok: true, output };
      return { ok: false, kind: "hook_failed", error: `exited with code ${end.code}`, output };
    case "killed":
      return { ok: false, kind: "hook_failed", error: `was killed by ${end.signal}`, output };
    case "timeout":
      return {
        ok: false,
        kind: "hook_timeout",
        error: `did not end within ${timeoutMs} ms and was killed`,
        output,
      };
    case "aborted":
      return { ok: false, kind: "hook_failed", error: "was stopped together with its run", output };
    case "unstartable":
      return { ok: false, kind: "hook_failed", error: `could not be started: ${end.error}`, output };
  }
}
