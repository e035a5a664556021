/**
 * Prompt template and issue to the text of a first turn. Strict Liquid: an unknown variable or filter fails (SPEC 5.4);
 * bounded in time and memory, because the template is a file that anybody in the team may edit.
 */
import { createHash } from "node:crypto";
import type { Liquid, Template } from "liquidjs";
import { instant, type Issue, type Workflow } from "../domain/domain.ts";
import { cut, placeAt } from "./front-matter.ts";
import { defaultTemplate } from "./guidance.ts";
import { PromptError } from "./prompt-error.ts";
import { INPUT_CHARACTERS_MAX, lengthOf } from "./room.ts";
import { WORKFLOW_BYTES_MAX } from "./source.ts";
import { closest } from "./suggest.ts";
import { sampleIssue } from "./sample-issue.ts";
import { variablesOf } from "./variables.ts";
import type { Place } from "./workflow-error.ts";

/** Rendering blocks the daemon; a prompt takes about a millisecond, the first one forty. */
const RENDER_MS_MAX = 500;

/** Objects and characters that filters may make: ten full prompts. */
const RENDER_MEMORY_MAX = 10 * INPUT_CHARACTERS_MAX;

/** What can be made of templates. A prompt's `attempt` is null on the first run. */
export interface Rendering {
  /** The prompt for this issue. One of nothing but blanks, as an empty body makes, is the default prompt. @throws PromptError */
  readonly prompt: (workflow: Workflow, issue: Issue, attempt: number | null) => string;
  /** Whether the template itself makes nothing but blanks. @throws PromptError */
  readonly isBlank: (workflow: Workflow, issue: Issue, attempt: number | null) => boolean;
  /** What a template uses, in whatever branch, and no issue has. @throws PromptError */
  readonly unknownNames: (workflow: Workflow) => readonly UnknownName[];
}

export interface UnknownName {
  readonly name: string;
  readonly place: Place;
  /** One sentence. */
  readonly hint: string;
}

/** Resolves when the template engine is loaded: from then on prompts are made without waiting. */
export async function promptRenderer(): Promise<Rendering> {
  const engine = await liquid();
  return {
    prompt: (workflow, issue, attempt) => rendered(engine, workflow, issue, attempt),
    isBlank: (workflow, issue, attempt) => isBlank(made(engine, workflow, workflow.template, issue, attempt)),
    unknownNames: (workflow) => unknownNames(engine, workflow),
  };
}

/** The prompt for this issue, as `Rendering` has it. @throws PromptError */
export const renderPrompt = async (
  workflow: Workflow,
  issue: Issue,
  attempt: number | null,
): Promise<string> => (await promptRenderer()).prompt(workflow, issue, attempt);

function rendered(engine: Liquid, workflow: Workflow, issue: Issue, attempt: number | null): string {
  const own = made(engine, workflow, workflow.template, issue, attempt);
  // An agent that is told nothing would do nothing, or anything.
  const prompt = isBlank(own) ? made(engine, workflow, defaultTemplate, issue, attempt) : own;
  // A lone half of a surrogate pair makes the whole request unreadable for Codex, which then never answers.
  const text = prompt.toWellFormed();
  checkLength(text, workflow);
  return text;
}

const isBlank = (prompt: string): boolean => prompt.trim() === "";

const made = (
  engine: Liquid,
  workflow: Workflow,
  template: string,
  issue: Issue,
  attempt: number | null,
): string => render(engine, parse(engine, template, workflow), variablesOf(issue, attempt), workflow);

/** A name that is only the beginning of one is looked at as far as every issue has it: what is in lists differs. */
function unknownNames(engine: Liquid, workflow: Workflow): readonly UnknownName[] {
  const known = namesIn(variablesOf(sampleIssue, null));
  const { globals } = engine.analyzeSync(parse(engine, workflow.template, workflow), { partials: false });
  return Object.values(globals)
    .flat()
    .flatMap(({ segments: [root, field], location: { row, col } }) => {
      const isWhole = root !== "issue" || typeof field !== "string";
      const name = isWhole ? String(root) : `issue.${field}`;
      if (name === "issue" || known.includes(name)) return [];
      const hint = hintFor(/^(.+) (.+)$/.exec(`variable ${name}`), known);
      return [{ name, place: placeAtTemplate(workflow, row, col), hint }];
    });
}

/**
 * SHA-256 of the prompt as a thread is meant to know it: the same however often the issue was tried, wherever its agent has
 * moved it (`state`: where somebody else did) and whenever it was touched. @throws PromptError
 */
export async function promptDigest(workflow: Workflow, issue: Issue, state: string): Promise<string> {
  const updatedAt = issue.updatedAt === null ? null : instant(0);
  const prompt = await renderPrompt(workflow, { ...issue, state, updatedAt }, null);
  return createHash("sha256").update(prompt).digest("hex");
}

function parse(engine: Liquid, template: string, workflow: Workflow): Template[] {
  try {
    return engine.parse(template);
  } catch (error) {
    throw promptError(error, workflow, "template_parse_error", Object.keys(engine.filters));
  }
}

function render(engine: Liquid, parsed: Template[], variables: Variables, workflow: Workflow): string {
  try {
    return String(engine.renderSync(parsed, variables));
  } catch (error) {
    throw promptError(error, workflow, "template_render_error", namesIn(variables));
  }
}

type Variables = ReturnType<typeof variablesOf>;

const namesIn = (variables: Variables): readonly string[] => [
  "attempt",
  ...Object.keys(variables.issue).map((name) => `issue.${name}`),
];

let engine: Promise<Liquid> | null = null;

/** Loaded with the first prompt or its trial: commands that make none do without it, and should be quick. */
function liquid(): Promise<Liquid> {
  engine ??= import("liquidjs").then(
    ({ Liquid }) =>
      new Liquid({
        strictVariables: true,
        strictFilters: true,
        ownPropertyOnly: true,
        // Without this, `{% include %}` would read any file below the current directory into the prompt.
        templates: {},
        outputEscape: printed,
        // Not the machine's: the same prompt everywhere, and asking for it is a tenth of a start.
        locale: "en-US",
        parseLimit: WORKFLOW_BYTES_MAX,
        renderLimit: RENDER_MS_MAX,
        memoryLimit: RENDER_MEMORY_MAX,
      }),
  );
  return engine;
}

/** `{{ issue.labels }}` reads `bug, backend`; plain Liquid would run the items together. */
function printed(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(printed).join(", ");
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    return JSON.stringify(value);
  // Liquid's own objects (`forloop`, `empty`) have nothing to print.
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

interface TemplateTrouble extends Error {
  readonly originalError?: Error;
  readonly variableName?: string;
  readonly token?: { readonly getPosition?: () => [number, number] };
}

function promptError(
  error: unknown,
  workflow: Workflow,
  phase: "template_parse_error" | "template_render_error",
  known: readonly string[],
): PromptError {
  if (!(error instanceof Error)) throw error;
  const trouble: TemplateTrouble = error;
  const why = (trouble.originalError ?? trouble).message.replace(/, (file:.*, )?line:\d+, col:\d+$/s, "");
  // Liquid notices an unknown filter while parsing; SPEC 5.5 files it under rendering.
  const unknown = /^undefined (variable|filter): (.+)$/.exec(why);
  const kind = unknown === null ? phase : "template_render_error";
  const message = `${placeIn(workflow, trouble)}: prompt template: ${why}`;
  return new PromptError(kind, message, { hint: hintFor(unknown, known), cause: error });
}

function hintFor(unknown: RegExpExecArray | null, known: readonly string[]): string {
  if (unknown === null) return "Correct the prompt in the workflow file; the next run uses it.";
  const near = closest(unknown[2] ?? "", known);
  if (near !== null) return `Did you mean \`${near}\`?`;
  return unknown[1] === "filter"
    ? "Use one of Liquid's own filters, such as `join`, `default` or `upcase`."
    : `A prompt can use ${known.join(", ")}.`;
}

/** Position in the file: Liquid counts from the start of the body. */
function placeIn(workflow: Workflow, { token }: TemplateTrouble): string {
  const { line, column } = placeAtTemplate(workflow, ...(token?.getPosition?.() ?? ([1, 1] as const)));
  return `${workflow.path}:${line}:${column}`;
}

function placeAtTemplate(workflow: Workflow, line: number, column: number): Place {
  const start = placeAt(workflow.text, cut(workflow.text)?.templateAt ?? 0);
  return { line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column };
}

function checkLength(prompt: string, workflow: Workflow): void {
  const characters = lengthOf(prompt);
  if (characters <= INPUT_CHARACTERS_MAX) return;
  throw new PromptError(
    "input_too_large",
    `${workflow.path}: the rendered prompt has ${characters} characters; Codex takes at most ${INPUT_CHARACTERS_MAX}.`,
    {
      hint: "Shorten the issue's description, or print less of it: `{{ issue.description | truncate: 20000 }}`.",
    },
  );
}
