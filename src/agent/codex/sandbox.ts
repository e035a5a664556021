/** The sandbox of a turn, from the workflow's settings. */
import type { CodexSettings, CodexValue } from "../../domain/domain.ts";
import { type Fields, fieldsOf } from "./message.ts";

/**
 * The policy that goes with each turn. `codex.turn_sandbox_policy` as it is written, else what `codex.thread_sandbox`
 * means; for `workspace-write` with the user's own additions of `[sandbox_workspace_write]` in Codex's config.toml,
 * which a policy given by the turn would otherwise replace. `gitRoots` become writable where anything is.
 */
export function turnSandbox(
  { turnSandboxPolicy, threadSandbox }: CodexSettings,
  config: Fields,
  gitRoots: readonly string[],
): Fields {
  return withRoots(turnSandboxPolicy ?? derived(threadSandbox, config), gitRoots);
}

/** Thread level and turn level spell the same things differently, and each refuses the other's spelling. */
function derived(mode: string, config: Fields): Fields {
  switch (mode) {
    case "danger-full-access":
      return { type: "dangerFullAccess" };
    case "read-only":
      return { type: "readOnly" };
    case "workspace-write":
      return { type: "workspaceWrite", ...additions(fieldsOf(config["sandbox_workspace_write"])) };
    default:
      // Unknown to us: Codex shall say so, in its own words.
      return { type: mode };
  }
}

const additions = (own: Fields): Fields => ({
  writableRoots: strings(own["writable_roots"]),
  networkAccess: own["network_access"] === true,
  excludeTmpdirEnvVar: own["exclude_tmpdir_env_var"] === true,
  excludeSlashTmp: own["exclude_slash_tmp"] === true,
});

function withRoots(
  policy: Fields | { readonly [key: string]: CodexValue },
  roots: readonly string[],
): Fields {
  if (policy["type"] !== "workspaceWrite" || roots.length === 0) return policy;
  const before = strings(policy["writableRoots"]);
  return { ...policy, writableRoots: [...before, ...roots.filter((root) => !before.includes(root))] };
}

/** The texts of a list; anything else is an empty one. */
export const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
