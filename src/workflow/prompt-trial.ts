/**
 * Whether a template can be used, found out before an issue needs it: it is rendered for a sample issue, as on its first run
 * and as on a later one. One that is wrong there is wrong for every issue, so it is a problem of the file (SPEC 6.3), and none
 * of any run. What is wrong for some issues only is a warning: it fails their runs alone (SPEC 5.5).
 */
import type { Issue, Workflow } from "../domain/domain.ts";
import { PromptError } from "./prompt-error.ts";
import { promptRenderer, type Rendering } from "./render.ts";
import { LACKS, sampleIssue } from "./sample-issue.ts";
import { line, type Problem } from "./workflow-error.ts";

/** What is known of a workflow's template. */
export interface Tried {
  /** What is wrong with it for every issue; null = a prompt can be made of it. */
  readonly problem: Problem | null;
  /** What is odd about it, or wrong for some issues; `file:line:column: text`. */
  readonly warnings: readonly string[];
}

export type PromptTrial = (workflow: Workflow) => Tried;

/** A run that is not the first one. */
const LATER = 1;

/** Resolves when templates can be tried without waiting. */
export async function promptTrial(): Promise<PromptTrial> {
  const renderer = await promptRenderer();
  return (workflow) => {
    const first = failureOf(() => renderer.prompt(workflow, sampleIssue, null));
    const problem = first ?? failureOf(() => renderer.prompt(workflow, sampleIssue, LATER));
    if (problem !== null) return { problem: promptProblem(workflow.path, problem), warnings: [] };
    return {
      problem: null,
      warnings: [
        ...lacking(workflow, renderer),
        ...unknown(workflow, renderer),
        ...blank(workflow, renderer),
      ],
    };
  };
}

/** For which issues no prompt can be made, as far as that is known: those that lack something. */
function lacking(workflow: Workflow, { prompt }: Rendering): readonly string[] {
  const failing = (without: Partial<Issue>): PromptError | null => {
    const issue = { ...sampleIssue, ...without };
    return failureOf(() => prompt(workflow, issue, null)) ?? failureOf(() => prompt(workflow, issue, LATER));
  };
  const bare = failing(LACKS.reduce<Partial<Issue>>((all, [, without]) => ({ ...all, ...without }), {}));
  if (bare === null) return [];
  const each = LACKS.flatMap(([what, without]) => {
    const error = failing(without);
    return error === null ? [] : [{ what, error }];
  });
  const told = each.length > 0 ? each : [{ what: "without anything but a title", error: bare }];
  return told.map(({ what, error }) => {
    const { text, ...rest } = promptProblem(workflow.path, error, false);
    return line(workflow.path, {
      ...rest,
      text: `a ticket ${what} has no prompt, and its runs fail: ${text} Ask first, as in \`{% if issue.labels.size > 0 %}\`.`,
    });
  });
}

/** Names in a branch that no try came to: they fail the first run that does. */
const unknown = (workflow: Workflow, { unknownNames }: Rendering): readonly string[] =>
  unknownNames(workflow).map(({ name, place, hint }) =>
    line(workflow.path, {
      place,
      key: null,
      text: `prompt template: there is no \`${name}\`: every run that comes to this place fails. ${hint}`,
    }),
  );

const blank = (workflow: Workflow, { isBlank }: Rendering): readonly string[] => {
  const [first, later] = [null, LATER].map((attempt) => isBlank(workflow, sampleIssue, attempt));
  if (workflow.template === "" || (first !== true && later !== true)) return [];
  const when = first === true && later === true ? "" : first === true ? " on a first run" : " on a later run";
  const text = `the prompt is nothing but blanks${when}. Baton sends its own there: the ticket's title, state, address and description.`;
  return [line(workflow.path, { place: null, key: null, text })];
};

function failureOf(make: () => string): PromptError | null {
  try {
    make();
    return null;
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    return error;
  }
}

/** A prompt that could not be made as a problem of its file; the message begins with file and place, here they are apart. */
export function promptProblem(path: string, { kind, message, hint }: PromptError, withHint = true): Problem {
  const [, row, column, why] = /^:(\d+):(\d+): (.*)$/s.exec(message.replace(path, "")) ?? [];
  const place = row === undefined ? null : { line: Number(row), column: Number(column) };
  const text = `${(why ?? message).replace(/\.$/, "")}.`;
  return { kind, place, key: null, text: withHint ? `${text} ${hint}` : text };
}
