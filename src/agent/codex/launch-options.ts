/**
 * What a thread and its turns are asked for. Everything that makes unattended work right goes through `config` of
 * `thread/start` and `thread/resume`, where it holds for this thread only: the user's shell command stays as written,
 * and so does Codex's own config.toml.
 */
import { isUsual, trackerPrefixes } from "../../domain/domain.ts";
import type { AgentSpec, AgentTool } from "../port.ts";
import { inCommand, type Passing } from "./environment.ts";
import { type Fields, fieldsOf, textOf } from "./message.ts";
import { strings } from "./sandbox.ts";

/** Keys that Codex itself may need, and a command only when `codex.env_pass` says so. */
const PROVIDER_KEYS = ["OPENAI_API_KEY", "CODEX_API_KEY"];

/** Never meant for an agent, whatever brought them there. */
const trackerVariables = trackerPrefixes.map((prefix) => `${prefix}*`);

/** Longer titles help nobody in a list of threads. */
const NAME_CHARS_MAX = 200;

/**
 * `own`: Codex's effective configuration (`config/read`), so that lists which ours would replace can be kept. `env`: what
 * the process has.
 *
 * No `sandbox` here: naming one makes Codex trust the directory, write so into the user's config.toml and run what the
 * repository's own `.codex/config.toml` says, unsandboxed. The sandbox goes with each turn instead, and `projects`
 * says "untrusted" even where the user said otherwise for a repository that is theirs alone no longer.
 */
export function threadConfig({ workspace, codex }: AgentSpec, own: Fields, env: Env): Fields {
  return {
    // A model that sets itself goals starts turns nobody counts.
    "features.goals": false,
    // With the network gone a turn would wait for it for ever; like this it fails after half a minute.
    "features.unbounded_connection_retries": false,
    // The user's notification program would run, on the host, after each turn of each agent.
    notify: [],
    projects: { [workspace]: { trust_level: "untrusted" } },
    shell_environment_policy: shellEnvironment(codex, own, env),
  };
}

type Env = Readonly<Record<string, string>>;

/**
 * What commands see of the environment: what `codex.env_pass` names, and of the rest no variable with KEY, SECRET or TOKEN
 * in its name (unless Codex's own configuration sets `ignore_default_excludes`) and nothing that Codex alone is given.
 *
 * What is passed is set by its value: Codex knows no exception from the names it hides, and to switch the hiding off would
 * show what the login profile exports. `include_only` comes last of all, so it has to let through what is passed.
 */
function shellEnvironment(codex: Passing, own: Fields, env: Env): Fields {
  const policy = fieldsOf(own["shell_environment_policy"]);
  const providers = Object.values(fieldsOf(own["model_providers"]));
  const keys = providers
    .map((provider) => textOf(fieldsOf(provider)["env_key"]))
    .filter((key) => key !== null);
  const codexAlone = new Set([...keys, ...codex.envProvider]);
  const passed = codex.envPass.filter((name) => name in env && !codexAlone.has(name));
  const forCommand = [...PROVIDER_KEYS, ...inCommand(codex)].filter(
    (name) => !isUsual(name) && !codex.envPass.includes(name),
  );
  const only = strings(policy["include_only"]);
  return {
    ignore_default_excludes: policy["ignore_default_excludes"] === true,
    exclude: [...new Set([...strings(policy["exclude"]), ...forCommand, ...codexAlone, ...trackerVariables])],
    ...(passed.length > 0 && {
      set: Object.fromEntries(passed.map((name) => [name, env[name]])),
      ...(only.length > 0 && { include_only: [...new Set([...only, ...passed])] }),
    }),
  };
}

/** Parameters of `thread/start`. */
export const threadStart = (spec: AgentSpec, own: Fields, env: Env): Fields => ({
  ...threadCommon(spec, own, env),
  ...(spec.tools.length > 0 && { dynamicTools: spec.tools.map(toolSpec) }),
});

/** Parameters of `thread/resume`. Tools persist with the thread; its history is not needed here. */
export const threadResume = (spec: AgentSpec, own: Fields, env: Env): Fields => ({
  ...threadCommon(spec, own, env),
  threadId: spec.resume,
  excludeTurns: true,
});

const threadCommon = (spec: AgentSpec, own: Fields, env: Env): Fields => ({
  cwd: spec.workspace,
  approvalPolicy: spec.codex.approvalPolicy,
  config: threadConfig(spec, own, env),
  ...(spec.codex.model !== null && { model: spec.codex.model }),
  ...(spec.codex.serviceTier !== null && { serviceTier: spec.codex.serviceTier }),
});

const toolSpec = ({ name, description, inputSchema }: AgentTool): Fields => ({
  type: "function",
  name,
  description,
  inputSchema,
});

/** Parameters of `turn/start`. The same settings with each turn: they stick to the thread, and others may change them. */
export const turnStart = (
  { workspace, codex }: AgentSpec,
  threadId: string,
  sandboxPolicy: Fields,
  text: string,
): Fields => ({
  threadId,
  input: textInput(text),
  cwd: workspace,
  approvalPolicy: codex.approvalPolicy,
  sandboxPolicy,
  ...(codex.model !== null && { model: codex.model }),
  ...(codex.reasoningEffort !== null && { effort: codex.reasoningEffort }),
  ...(codex.serviceTier !== null && { serviceTier: codex.serviceTier }),
});

export const textInput = (text: string): readonly Fields[] => [{ type: "text", text }];

/** `<identifier>: <title>`: how the thread is found again in Codex's own lists. */
export const threadName = ({ identifier, title }: AgentSpec): string =>
  `${identifier}: ${title}`.replace(/\s+/g, " ").slice(0, NAME_CHARS_MAX);
