/** Short ways to parse a text in the tests of this folder. */
import type { Settings, Workflow } from "../../../src/domain/settings.ts";
import type { Loaded, WorkflowError } from "../../../src/workflow/workflow.ts";
import { parseWorkflow } from "../../../src/workflow/workflow.ts";

const FILE = "/repo/WORKFLOW.md";
export const HOME = "/home/ann";
export const KEY = { LINEAR_API_KEY: "lin_test_key", TMPDIR: "/var/tmp" };

export type Env = Readonly<Record<string, string | undefined>>;

export const parsed = (text: string, env: Env = KEY): Loaded => parseWorkflow(text, FILE, env, HOME);

/** A front matter that is complete, with these lines added at its end. */
export const withLines = (lines: string, body = "Do it."): string =>
  `---\ntracker:\n  kind: linear\n  project_slug: web-1\n${lines}\n---\n${body}\n`;

/** The same with lines inside `tracker`. */
export const withTracker = (lines: string): string => withLines(`  ${lines.split("\n").join("\n  ")}`);

export function workflowOf(text: string, env: Env = KEY): Workflow {
  const loaded = parsed(text, env);
  if (!loaded.ok) throw loaded.error;
  return loaded.workflow;
}

export const settingsOf = (text: string, env: Env = KEY): Settings => workflowOf(text, env).settings;

export function warningsOf(text: string, env: Env = KEY): readonly string[] {
  const loaded = parsed(text, env);
  if (!loaded.ok) throw loaded.error;
  return loaded.warnings;
}

export function errorOf(text: string, env: Env = KEY): WorkflowError {
  const loaded = parsed(text, env);
  if (loaded.ok) throw new Error("expected an error, but the workflow was accepted");
  return loaded.error;
}
