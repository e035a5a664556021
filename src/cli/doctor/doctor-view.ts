/** What the checks found, line by line. Pure. */
import { type Paint, type Style, wrapTo } from "../../terminal/terminal.ts";
import { counted } from "../../facts/facts.ts";
import type { Examined, Finding } from "./check.ts";

/** `skip  candidates  ` */
const STATUS_COLUMNS = 6;
const NAME_COLUMNS = 12;
const indent = " ".repeat(STATUS_COLUMNS + NAME_COLUMNS);

/** A narrower column is harder to read than lines that run over. */
const TEXT_COLUMNS_MIN = 40;

/** One finding with what to do about it. `columns` null = never wrapped. */
export function findingText(of: Examined, columns: number | null, paint: Paint): string {
  const { name, status, text, todo } = of;
  const lines = text.split("\n").flatMap((line) => wrapped(line, columns));
  const todoLines = todo === null ? [] : wrapped(`→ ${todo}`, columns);
  const [first = "", ...more] = lines;
  const head = paint(styles[status], status.padEnd(STATUS_COLUMNS)) + name.padEnd(NAME_COLUMNS);
  return [head + first, ...[...more, ...todoLines].map((line) => indent + line)].join("\n");
}

const wrapped = (line: string, columns: number | null): readonly string[] =>
  columns === null ? [line] : wrapTo(Math.max(TEXT_COLUMNS_MIN, columns - indent.length), line);

const styles: Readonly<Record<Finding["status"], Style>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
  skip: "dim",
};

export function verdict(found: readonly Examined[]): string {
  const count = (status: Finding["status"]): number => found.filter((one) => one.status === status).length;
  const warned = count("warn") === 0 ? "" : `, ${counted(count("warn"), "warning")}`;
  const skipped = count("skip") === 0 ? "" : `, ${count("skip")} skipped`;
  return count("fail") === 0
    ? `Nothing stands in the way: ${counted(count("ok"), "check")} passed${warned}${skipped}.`
    : `${counted(count("fail"), "check")} failed${warned}${skipped}. What to do stands under each.`;
}

export const doctorView = (found: readonly Examined[]) => ({
  ok: found.every(({ status }) => status !== "fail"),
  checks: found.map(({ name, status, text, todo, tookMs }) => ({
    name,
    status,
    text,
    todo,
    took_ms: tookMs,
  })),
});
