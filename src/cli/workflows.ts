/** Finding and loading the WORKFLOW.md files that a command was given. */
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Settings, Workflow, WorkflowName } from "../domain/domain.ts";
import { type PromptTrial, WorkflowError, WorkflowFile } from "../workflow/workflow.ts";
import { CliError, EXIT } from "./exit.ts";

export interface LoadedFiles {
  readonly files: readonly WorkflowFile[];
  readonly warnings: ReadonlyMap<WorkflowName, readonly string[]>;
}

/**
 * Loads every file (`./WORKFLOW.md` when none is named, SPEC 5.1), and tries its template.
 * @throws CliError with the problems of all files at once: configuration, or prerequisite when only keys are missing.
 */
export function loadFiles(paths: readonly string[], trial: PromptTrial): LoadedFiles {
  const files: WorkflowFile[] = [];
  const warnings = new Map<WorkflowName, readonly string[]>();
  const problems: string[] = [];
  let onlyKeysMissing = true;
  for (const path of paths.length === 0 ? ["WORKFLOW.md"] : paths) {
    try {
      const file = new WorkflowFile(resolve(path), process.env, homedir(), undefined, trial);
      files.push(file);
      const loaded = file.loaded();
      warnings.set(file.current().settings.name, loaded.ok ? loaded.warnings : []);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      problems.push(error.message);
      onlyKeysMissing &&= error.problems.every(({ kind }) => kind === "missing_tracker_secret");
    }
  }
  const doubled = sameNames(files.map((file) => file.current())).map(({ path, text }) => `${path}: ${text}`);
  if (problems.length + doubled.length > 0) {
    // Nothing is wrong with a file whose key this machine does not have yet.
    const code = onlyKeysMissing && doubled.length === 0 ? EXIT.prerequisite : EXIT.configuration;
    throw new CliError(code, [...problems, ...doubled].join("\n"));
  }
  return { files, warnings };
}

/** What keeps these workflows out of one daemon: a name that an earlier one has already. */
export function sameNames(
  workflows: readonly Workflow[],
): readonly { readonly path: string; readonly text: string }[] {
  return workflows.flatMap(({ path, settings }, index) => {
    const other = workflows.slice(0, index).find((before) => before.settings.name === settings.name);
    if (other === undefined) return [];
    const text = `name: "${settings.name}" is also the name of ${other.path}. Give each workflow a \`name\` of its own.`;
    return [{ path, text }];
  });
}

/**
 * What people should know of workflows that keep their workspaces in one directory and read different trackers, or one with
 * different keys: two issues may have one name there, and an outside look at the directory does not tell them apart.
 */
export function sharedRoots(
  workflows: readonly Workflow[],
): readonly { readonly path: string; readonly text: string }[] {
  return workflows.flatMap(({ path, settings }, index) => {
    const other = workflows
      .slice(0, index)
      .find(
        (before) => before.settings.workspace.root === settings.workspace.root && differs(before, settings),
      );
    if (other === undefined) return [];
    const text = `workspace.root: ${settings.workspace.root} is also the root of ${other.path}, which reads ${other.settings.tracker.endpoint} with another key. Baton keeps their workspaces apart by the issues' ids, but where both have an issue of one name, the second works in a directory with a longer name. Give each a workspace.root of its own.`;
    return [{ path, text }];
  });
}

const differs = ({ settings: { tracker: a } }: Workflow, { tracker: b }: Settings): boolean =>
  a.kind !== b.kind || a.endpoint !== b.endpoint || a.apiKey !== b.apiKey;

/** Where the ledger of these workflows is: `.baton/ledger.db` beside the first, unless the first says otherwise. */
export const ledgerPath = ({ path, settings }: Workflow): string =>
  settings.ledger.path ?? join(dirname(path), ".baton", "ledger.db");
