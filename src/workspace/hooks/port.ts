/**
 * The rules of the four hooks (SPEC 9.4): what is told to whom when one has run. How a script is run is somebody else's
 * business (bash.ts), so that the fake workspaces keep the same rules.
 */
import type { FactBody, HookSettings } from "../../domain/domain.ts";
import { SHELL_HANGS } from "../../processes/processes.ts";
import { WorkspaceError, type WorkspaceFor } from "../port.ts";

export type HookName = "after_create" | "before_run" | "after_run" | "before_remove";

export interface HookCall {
  readonly hook: HookName;
  readonly script: string;
  /** Real path of the workspace. */
  readonly path: string;
  /** The script's working directory: the same directory, by a name that no link in its path can lead elsewhere. */
  readonly cwd: string;
  readonly of: WorkspaceFor;
  readonly signal: AbortSignal | null;
}

export type HookOutcome =
  | { readonly ok: true; readonly output: string }
  | {
      readonly ok: false;
      readonly kind: "hook_failed" | "hook_timeout" | "shell_timeout";
      /** What it did, to follow the hook's name: `exited with code 3`. */
      readonly error: string;
      readonly output: string;
    };

/** Runs one script to its end, bounded by `hooks.timeout_ms`. Never rejects. */
export type RunHook = (call: HookCall) => Promise<HookOutcome>;

export interface HookRunner {
  readonly run: RunHook;
  /** Milliseconds from any fixed point. */
  readonly now: () => number;
}

/**
 * Runs a hook, if the workflow has it, and reports that it begins and what came of it. Answers the error for those who insist (throw it:
 * `after_create`, `before_run`) and for those who ignore it.
 */
export async function runHook(
  runner: HookRunner,
  call: Omit<HookCall, "script">,
  report: (fact: FactBody) => void,
): Promise<WorkspaceError | null> {
  const script = scriptOf(call.of.hooks, call.hook);
  if (script === null) return null;
  report({ type: "hook_started", hook: call.hook });
  const startedAt = runner.now();
  const outcome = await runner.run({ ...call, script });
  const error = outcome.ok ? null : hookError(call, outcome);
  report({
    type: "hook_ran",
    hook: call.hook,
    ok: outcome.ok,
    tookMs: Math.round(runner.now() - startedAt),
    output: outcome.output,
    error: outcome.ok ? null : didWords(call, outcome),
  });
  return error;
}

export function scriptOf(hooks: HookSettings, hook: HookName): string | null {
  switch (hook) {
    case "after_create":
      return hooks.afterCreate;
    case "before_run":
      return hooks.beforeRun;
    case "after_run":
      return hooks.afterRun;
    case "before_remove":
      return hooks.beforeRemove;
  }
}

function hookError(
  { hook, path, of }: Pick<HookCall, "hook" | "path" | "of">,
  outcome: Extract<HookOutcome, { ok: false }>,
): WorkspaceError {
  const hints = {
    hook_timeout: `Make hooks.${hook} faster, or raise hooks.timeout_ms (now ${of.hooks.timeoutMs}).`,
    hook_failed: `Run the script of hooks.${hook} by hand in such a directory and mend it; its output says more.`,
    shell_timeout: SHELL_HANGS,
  };
  const hint = hints[outcome.kind];
  const words = lastWords(outcome.output);
  const did = didWords({ hook, path, of }, outcome);
  return new WorkspaceError(outcome.kind, words === "" ? did : `${did}: ${words}`, {
    hint,
    output: outcome.output,
  });
}

const didWords = (
  { hook, path, of }: Pick<HookCall, "hook" | "path" | "of">,
  { error }: Extract<HookOutcome, { ok: false }>,
): string => `hook ${hook} of ${of.identifier} ${error} (in ${path})`;

/** Of the last line that it wrote. */
const LAST_WORDS_CHARS_MAX = 160;

/** The last line of an output says mostly what went wrong. */
const lastWords = (output: string): string =>
  (output.trimEnd().split("\n").at(-1) ?? "")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(-LAST_WORDS_CHARS_MAX);
