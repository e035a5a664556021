/** The settings in force, without their secret: as a short page and as JSON. */
import type { Settings, Workflow } from "../domain/domain.ts";
import { span, tokenCount } from "../terminal/terminal.ts";
import { ledgerPath } from "./workflows.ts";
import { snakeCase } from "./snake-case.ts";

/** What a person checks before the first start; everything else is in the JSON. */
export function settingsRows(workflow: Workflow): readonly (readonly [string, string])[] {
  const { settings } = workflow;
  const { tracker, agent, codex, limits, hooks } = settings;
  return [
    ["name", settings.name],
    ["tracker", trackerWords(tracker)],
    ["project", tracker.projectSlug],
    ["issues", issuesWords(tracker)],
    ["done", tracker.terminalStates.join(", ")],
    ["polling", `every ${span(settings.pollIntervalMs)}`],
    ["workspaces", settings.workspace.root],
    ["ledger", ledgerPath(workflow)],
    ["agents", `${agent.maxConcurrentAgents} at once, ${agent.maxTurns} turns a run${byState(settings)}`],
    ["codex", codex.command],
    ["model", codex.model ?? "Codex's own choice"],
    ["sandbox", `${codex.threadSandbox}, ${codex.writableGit ? "commits allowed" : ".git read-only"}`],
    [
      "approvals",
      `policy ${JSON.stringify(codex.approvalPolicy)}, requests: ${settings.policy.approvals.mode}`,
    ],
    ["hooks", hooksSet(hooks)],
    [
      "limits",
      `${limits.maxRunsPerIssue} runs, ${tokenCount(limits.maxTokensPerIssue)} tokens and ${limits.maxFailures} failures in a row per issue, ${span(limits.maxRunMs)} a run`,
    ],
  ];
}

/** A kind that works without a key, or on this machine, has none and no address. */
const trackerWords = ({ kind, endpoint, apiKey }: Settings["tracker"]): string =>
  [kind, endpoint, apiKey === "" ? "" : "key set"].filter((word) => word !== "").join(", ");

const issuesWords = ({ activeStates, requiredLabels, assignee }: Settings["tracker"]): string =>
  [
    `in ${activeStates.join(" or ")}`,
    requiredLabels.length > 0 ? `labelled ${requiredLabels.join(" and ")}` : "any label",
    ...(assignee === null ? [] : [`assigned to ${assignee}`]),
  ].join(", ");

function byState({ agent }: Settings): string {
  const limits = [...agent.maxConcurrentAgentsByState].map(([state, most]) => `${most} in ${state}`);
  return limits.length === 0 ? "" : ` (at most ${limits.join(", ")})`;
}

function hooksSet(hooks: Settings["hooks"]): string {
  const set = [
    hooks.afterCreate === null ? [] : ["after_create"],
    hooks.beforeRun === null ? [] : ["before_run"],
    hooks.afterRun === null ? [] : ["after_run"],
    hooks.beforeRemove === null ? [] : ["before_remove"],
  ].flat();
  return set.length === 0 ? "none" : `${set.join(", ")} (${span(hooks.timeoutMs)} each)`;
}

/** All settings but the key. */
export function settingsView(workflow: Workflow): unknown {
  const { apiKey: _key, ...tracker } = workflow.settings.tracker;
  const ledger = { ...workflow.settings.ledger, path: ledgerPath(workflow) };
  return snakeCase({ ...workflow.settings, tracker, ledger });
}
