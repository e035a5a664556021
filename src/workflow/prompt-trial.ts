/**
 * Whether a template can be used, found out before an issue needs it: it is rendered for a sample issue. One that is
 * wrong there is wrong for every issue, so it is a problem of the file (SPEC 6.3), and none of any run.
 */
import type { Workflow } from "../domain/domain.ts";
import { PromptError } from "./prompt-error.ts";
import { promptRenderer } from "./render.ts";
import { sampleIssue } from "./sample-issue.ts";
import type { Problem } from "./workflow-error.ts";

/** What is wrong with the workflow's template; null = a prompt can be made of it. */
export type PromptTrial = (workflow: Workflow) => Problem | null;

/** Resolves when templates can be tried without waiting. */
export async function promptTrial(): Promise<PromptTrial> {
  const render = await promptRenderer();
  return (workflow) => {
    try {
      render(workflow, sampleIssue, null);
      return null;
    } catch (error) {
      if (!(error instanceof PromptError)) throw error;
      return promptProblem(workflow.path, error);
    }
  };
}

/** A prompt that could not be made as a problem of its file; the message begins with file and place, here they are apart. */
export function promptProblem(path: string, { kind, message, hint }: PromptError): Problem {
  const [, line, column, why] = /^:(\d+):(\d+): (.*)$/s.exec(message.replace(path, "")) ?? [];
  const place = line === undefined ? null : { line: Number(line), column: Number(column) };
  return { kind, place, key: null, text: `${(why ?? message).replace(/\.$/, "")}. ${hint}` };
}
