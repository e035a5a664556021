/** What can be wrong with a WORKFLOW.md, said so that a person can put it right: where, which key, why, what to do. */

import type { PromptErrorKind } from "./prompt-error.ts";

/** SPEC 5.5 and 11.4 names, plus `workflow_invalid` for a value that cannot work. */
export type WorkflowErrorKind =
  | PromptErrorKind
  | "missing_workflow_file"
  | "workflow_parse_error"
  | "workflow_front_matter_not_a_map"
  | "workflow_invalid"
  | "unsupported_tracker_kind"
  | "missing_tracker_secret"
  | "invalid_tracker_config";

/** A place in the file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  readonly kind: WorkflowErrorKind;
  /** Null when the file could not be read at all. */
  readonly place: Place | null;
  /** Dotted path of the key, `agent.max_turns`; null when no key is to blame. */
  readonly key: string | null;
  readonly text: string;
}

/** More of them would be scrolled past; the first ones say enough to begin with. */
const PROBLEMS_SHOWN_MAX = 20;

/** When several things are wrong, the kind is the one a SPEC 6.3 preflight would meet first. */
const PREFLIGHT_ORDER: readonly WorkflowErrorKind[] = [
  "missing_workflow_file",
  "workflow_parse_error",
  "workflow_front_matter_not_a_map",
  "unsupported_tracker_kind",
  "missing_tracker_secret",
  "invalid_tracker_config",
  "workflow_invalid",
  "template_parse_error",
  "template_render_error",
  "input_too_large",
];

/** The one error of this boundary. It lists every problem found, not the first only; no message holds a secret. */
export class WorkflowError extends Error {
  readonly kind: WorkflowErrorKind;
  readonly path: string;
  readonly problems: readonly Problem[];

  constructor(path: string, problems: readonly Problem[]) {
    super(problems.length === 0 ? `${path}: not usable` : textOf(path, problems));
    this.name = "WorkflowError";
    this.kind =
      PREFLIGHT_ORDER.find((kind) => problems.some((problem) => problem.kind === kind)) ?? "workflow_invalid";
    this.path = path;
    this.problems = problems;
  }
}

/** `file:line:column: key: text`, the form editors and terminals make clickable. */
export function line(path: string, { place, key, text }: Omit<Problem, "kind">): string {
  const where = place === null ? path : `${path}:${place.line}:${place.column}`;
  return key === null ? `${where}: ${text}` : `${where}: ${key}: ${text}`;
}

function textOf(path: string, problems: readonly Problem[]): string {
  const lines = problems.slice(0, PROBLEMS_SHOWN_MAX).map((problem) => line(path, problem));
  const more = problems.length - PROBLEMS_SHOWN_MAX;
  return more > 0 ? [...lines, `and ${more} more problems`].join("\n") : lines.join("\n");
}
