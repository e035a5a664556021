/** What `baton validate` found, as a page and as JSON. Pure. */
import type { Issue } from "../domain/domain.ts";
import { counted } from "../facts/facts.ts";
import { type Paint, wrapTo } from "../terminal/terminal.ts";
import { settingsRows, settingsView } from "./settings-view.ts";
import type { Checked, Trouble } from "./validate.ts";

export interface ValidateLook {
  readonly columns: number;
  /** A terminal's lines are wrapped; in a pipe, one thing stays on one line. */
  readonly wraps: boolean;
  readonly paint: Paint;
  /** Whom the prompt was rendered for. */
  readonly issue: Issue;
}

const LABEL_COLUMNS = 12;

export function checkedText(checked: Checked, look: ValidateLook): string {
  const { path, workflow, warnings, problems, prompt } = checked;
  const { paint, issue } = look;
  const verdict =
    problems.length > 0
      ? paint("red", `cannot be used: ${counted(problems.length, "problem")}`)
      : paint(
          "green",
          warnings.length === 0 ? "valid" : `valid, with ${counted(warnings.length, "warning")}`,
        );
  return [
    `${paint("bold", path)}: ${verdict}`,
    ...problems.flatMap((problem) => marked(paint("red", "problem"), line(path, problem), look)),
    ...warnings.flatMap((warning) => marked(paint("yellow", "warning"), warning, look)),
    ...(workflow === null ? [] : ["", ...settingsRows(workflow).flatMap((row) => settingLines(row, look))]),
    ...(prompt === null
      ? []
      : [
          "",
          paint("dim", `--- prompt for ${issue.identifier} (${counted(prompt.length, "character")}) ---`),
          prompt,
        ]),
  ].join("\n");
}

/** As wide as `problem` and `warning` with the gap after them. */
const indent = " ".repeat(9);

function marked(mark: string, text: string, { columns, wraps }: ValidateLook): readonly string[] {
  const [first = "", ...more] = wraps ? wrapTo(Math.max(40, columns - indent.length), text) : [text];
  return [`${mark}  ${first}`, ...more.map((part) => indent + part)];
}

function settingLines(
  [label, text]: readonly [string, string],
  { columns, wraps, paint }: ValidateLook,
): readonly string[] {
  const parts = wraps ? wrapTo(Math.max(40, columns - LABEL_COLUMNS), text) : [text];
  return parts.map((part, index) => paint("dim", (index === 0 ? label : "").padEnd(LABEL_COLUMNS)) + part);
}

/** `file:line:column: key: text`, which editors and terminals make clickable. */
function line(path: string, { place, key, text }: Trouble): string {
  const where = place === null ? path : `${path}:${place.line}:${place.column}`;
  return key === null ? `${where}: ${text}` : `${where}: ${key}: ${text}`;
}

export const checkedView = ({ path, workflow, warnings, problems, prompt }: Checked) => ({
  path,
  ok: problems.length === 0,
  problems: problems.map(({ kind, place, key, text }) => ({
    kind,
    line: place?.line ?? null,
    column: place?.column ?? null,
    key,
    text,
  })),
  warnings,
  settings: workflow === null ? null : settingsView(workflow),
  prompt,
});
