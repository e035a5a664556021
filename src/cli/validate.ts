/** `baton validate`: what a daemon would make of these files, without starting one and without asking the tracker. */
import { homedir } from "node:os";
import type { Issue, Workflow } from "../domain/domain.ts";
import {
  loadWorkflow,
  PromptError,
  promptProblem,
  promptTrial,
  renderPrompt,
  sampleIssue,
} from "../workflow/workflow.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { issueFrom } from "./issue-json.ts";
import { checkedText, checkedView } from "./validate-view.ts";
import { sameNames, sharedRoots } from "./workflows.ts";

export interface ValidateOptions {
  readonly issueJson?: string;
  readonly attempt?: number;
  readonly json?: boolean;
}

/** What is known of one file. */
export interface Checked {
  readonly path: string;
  /** Null when it cannot be used at all. */
  readonly workflow: Workflow | null;
  readonly warnings: readonly string[];
  readonly problems: readonly Trouble[];
  readonly prompt: string | null;
}

/** `text` says where, why and what to do. */
export interface Trouble {
  readonly kind: string;
  readonly place: { readonly line: number; readonly column: number } | null;
  readonly key: string | null;
  readonly text: string;
}

/** 0 when all files are good, 3 when one is not. @throws CliError when the issue's file is none. */
export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  output: Output,
): Promise<ExitCode> {
  const issue = options.issueJson === undefined ? sampleIssue : issueFrom(options.issueJson);
  const files = paths.length === 0 ? ["WORKFLOW.md"] : paths;
  const checked = withNames(
    await Promise.all(files.map((file) => check(file, issue, options.attempt ?? null))),
  );
  if (options.json === true) output.out(JSON.stringify(checked.map(checkedView), null, 2));
  else {
    const look = { columns: output.columns, wraps: output.isTerminal, paint: paintFor(output), issue };
    output.out(checked.map((one) => checkedText(one, look)).join("\n\n"));
  }
  return checked.every(({ problems }) => problems.length === 0) ? EXIT.ok : EXIT.configuration;
}

async function check(file: string, issue: Issue, attempt: number | null): Promise<Checked> {
  const loaded = loadWorkflow(file, process.env, homedir());
  if (!loaded.ok) {
    const { path, problems } = loaded.error;
    return { path, workflow: null, warnings: [], problems, prompt: null };
  }
  const { workflow } = loaded;
  const { problem, warnings } = (await promptTrial())(workflow);
  const good = { path: workflow.path, workflow, warnings: [...loaded.warnings, ...warnings] };
  if (problem !== null) return { ...good, problems: [problem], prompt: null };
  try {
    return { ...good, problems: [], prompt: await renderPrompt(workflow, issue, attempt) };
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    return { ...good, problems: [promptProblem(workflow.path, error)], prompt: null };
  }
}

/** One daemon cannot run two workflows of one name; two daemons can, so this is no problem of the files. Nor is a shared root. */
function withNames(checked: readonly Checked[]): readonly Checked[] {
  const good = checked.flatMap(({ workflow }) => (workflow === null ? [] : [workflow]));
  const clashes = [...sameNames(good), ...sharedRoots(good)];
  return checked.map((one) => {
    const own = clashes.filter(({ path }) => one.workflow !== null && path === one.path);
    return { ...one, warnings: [...one.warnings, ...own.map(({ text }) => `${one.path}: ${text}`)] };
  });
}
