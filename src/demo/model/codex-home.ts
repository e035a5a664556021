/**
 * A CODEX_HOME that points Codex at the scripted model: no login, no calls to the network, few retries. What the daemon
 * itself must see to (goals off, trust, secrets) is left alone here, so that a test notices when it does not.
 */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join, resolve, sep } from "node:path";
import { isAlive } from "../../processes/processes.ts";

export interface CodexHomeOptions {
  /** `url` of the model. */
  readonly modelUrl: string;
  /** How often Codex repeats a refused request; 0 makes the first refusal final. */
  readonly requestRetries?: number;
  /** How often Codex repeats a response whose stream broke. */
  readonly streamRetries?: number;
  /** Silence of the model after which Codex gives a stream up. */
  readonly idleTimeoutMs?: number;
  /** Name of an environment variable that holds the provider's key; without it no key is needed. */
  readonly keyEnv?: string;
  /** Whether the model is offered agents of its own, as it is by default out there. */
  readonly agents?: boolean;
  /** TOML put after everything else. */
  readonly extra?: string;
}

export interface CodexHome {
  readonly path: string;
  /** Removes the directory. Tolerates a second call. */
  remove(): void;
}

/**
 * Makes a new home outside the temporary directory: in there Codex refuses to set up its sandbox's aliases, which can
 * leave it without a command that works, and it says so on stderr only. Homes of killed processes are removed on the way.
 */
export function freshCodexHome(options: CodexHomeOptions): CodexHome {
  const root = homesRoot();
  sweep(root);
  const path = join(root, `${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(path, { mode: 0o700 });
  writeCodexHome(path, options);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Writes config.toml and the model's catalogue entry into `path`, which exists. */
export function writeCodexHome(path: string, options: CodexHomeOptions): void {
  const catalogue = join(path, "models.json");
  writeFileSync(catalogue, JSON.stringify({ models: [scriptedModel] }));
  writeFileSync(join(path, "config.toml"), configToml(catalogue, options));
}

const configToml = (catalogue: string, options: CodexHomeOptions): string => `\
model = "scripted"
model_provider = "scripted"
model_catalog_json = ${JSON.stringify(catalogue)}
web_search = "disabled"
# A login shell would run the user's profile before every command.
allow_login_shell = false
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = ${JSON.stringify(options.modelUrl)}
wire_api = "responses"
requires_openai_auth = false
request_max_retries = ${options.requestRetries ?? 0}
stream_max_retries = ${options.streamRetries ?? 0}
stream_idle_timeout_ms = ${options.idleTimeoutMs ?? 60_000}
${options.keyEnv === undefined ? "" : `env_key = ${JSON.stringify(options.keyEnv)}\n`}
[analytics]
enabled = false
${options.agents === true ? "" : "[agents]\nenabled = false\n"}[skills.bundled]
enabled = false

# Each of these calls github.com or chatgpt.com when Codex starts.
[features]
plugins = false
apps = false
remote_plugin = false
${options.extra ?? ""}`;

/** With an entry of its own the model gets the plain tools and a one-line prompt, and Codex has nothing to warn of. */
const scriptedModel = {
  slug: "scripted",
  display_name: "Scripted",
  description: "Plays a script.",
  supported_reasoning_levels: [],
  shell_type: "unified_exec",
  visibility: "list",
  supported_in_api: true,
  priority: 1,
  base_instructions: "Follow the script.",
  // 0.130.0 asks for it.
  supports_reasoning_summaries: false,
  support_verbosity: false,
  apply_patch_tool_type: "freeform",
  truncation_policy: { mode: "bytes", limit: 10_000 },
  supports_parallel_tool_calls: true,
  context_window: 200_000,
  experimental_supported_tools: [],
};

/** The first place that is ours, can be written and is not temporary. */
function homesRoot(): string {
  const places = [
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    resolve("node_modules/.cache"),
    // For a machine where everything of ours is under /tmp: Codex does not count this one as temporary.
    `/var/tmp/${userInfo().username}`,
  ];
  for (const place of places) {
    const root = join(place, "baton", "codex-homes");
    try {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      accessSync(root, constants.W_OK);
      const real = realpathSync(root);
      if (!isTemporary(real) && statSync(real).uid === process.getuid?.()) return real;
    } catch {
      // Not writable: the next place is tried.
    }
  }
  throw new Error(
    `No place for a Codex home: none of ${places.join(", ")} is writable, ours and outside the temporary directory. ` +
      "Codex is not at its best with its home under the temporary directory; set XDG_CACHE_HOME to another place.",
  );
}

function isTemporary(path: string): boolean {
  return ["/tmp", tmpdir()].some((temporary) => {
    const real = realpathSync(temporary);
    return path === real || path.startsWith(real + sep);
  });
}

/** By age as well: another container may share the directory and count its processes differently. */
const ORPHAN_AGE_MS = 3_600_000;

function sweep(root: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    const old = Date.now() - mtimeMs > ORPHAN_AGE_MS;
    if (old && !isAlive(Number.parseInt(name, 10))) rmSync(path, { recursive: true, force: true });
  }
}
