/** Which environment variables a workflow hands on: by name in its lists, and by a `$` in its commands. */
import { isSetIn, isTrackers, namedVariables } from "../domain/domain.ts";
import type { Findings, KeyPath } from "./findings.ts";
import type { FrontMatter } from "./schema.ts";
import { referenceIn, type Surroundings } from "./surroundings.ts";

const HOOKS = ["after_create", "before_run", "after_run", "before_remove"] as const;

/** Keys that used to be passed on for Codex's own sake. */
const PROVIDER_KEYS = ["OPENAI_API_KEY", "CODEX_API_KEY"];

/** `apiKey`: the tracker's, as it was read; no child process gets it under any name. */
export function checkEnvironment(
  front: FrontMatter,
  apiKey: string,
  around: Surroundings,
  findings: Findings,
): void {
  const { codex, hooks } = front;
  checkList("env_pass", codex.env_pass, findings);
  checkList("env_provider", codex.env_provider, findings);
  for (const name of codex.env_provider.filter((one) => codex.env_pass.includes(one)))
    findings.problem(
      ["codex", "env_provider"],
      `${name} is in codex.env_pass as well, which shows it to the commands. Leave it in one of the two.`,
    );
  for (const name of PROVIDER_KEYS.filter((one) => codex.env_pass.includes(one)))
    findings.warn(
      ["codex", "env_pass"],
      `${name} is shown to every command the agent runs. When only Codex needs it, name it in codex.env_provider instead.`,
    );
  const isSecret = secretIn(front.tracker, apiKey, around);
  checkNamed(["codex", "command"], codex.command, isSecret, around, findings);
  for (const hook of HOOKS) checkNamed(["hooks", hook], hooks[hook] ?? "", isSecret, around, findings);
}

/** Names, not values, and never the tracker's: those stay with the daemon whatever the file says. */
function checkList(list: "env_pass" | "env_provider", names: readonly string[], findings: Findings): void {
  const key = ["codex", list];
  if (names.some((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)))
    findings.problem(
      key,
      "must hold names of environment variables, such as `GH_TOKEN`: letters, digits and `_`, no `$`, no values.",
    );
  for (const name of names.filter(isTrackers))
    findings.warn(key, `${name} is the tracker's and is never handed to the agent.`);
}

/** Whether a variable holds the tracker's key, or the name of the file that does. */
function secretIn(
  { api_key: flat, provider }: FrontMatter["tracker"],
  apiKey: string,
  { env }: Surroundings,
): (name: string) => boolean {
  const own = referenceIn(flat ?? provider?.api_key ?? "") ?? "LINEAR_API_KEY";
  return (name) =>
    name === own || name === `${own}_FILE` || (apiKey !== "" && env[name]?.includes(apiKey) === true);
}

/** What a command names it gets; what it names in vain is said, because it would find nothing there, and not say why. */
function checkNamed(
  key: KeyPath,
  script: string,
  isSecret: (name: string) => boolean,
  { env }: Surroundings,
  findings: Findings,
): void {
  for (const { name, line, expanded, needed } of namedVariables(script)) {
    const where = script.trimEnd().includes("\n") ? ` in its line ${line}` : "";
    if (expanded && isSecret(name) && !isSetIn(script, name))
      findings.problem(
        key,
        `uses $${name}${where}, which is the secret of tracker.api_key. No hook and no agent gets a tracker's key, so it would be empty here: take it out. Agents reach the tracker by the tool \`linear_graphql\`.`,
      );
    else if (needed && isTrackers(name))
      findings.warn(
        key,
        `uses $${name}${where}. Variables of the tracker are never handed on, so it is empty here: give it another name.`,
      );
    else if (needed && env[name] === undefined && !name.startsWith("BATON_"))
      findings.warn(
        key,
        `uses $${name}${where}, which is not set in Baton's environment: it is empty here, unless the login profile or the script itself sets it. Set it where Baton is started, or write \`\${${name}:-}\` if it may be empty.`,
      );
  }
}
