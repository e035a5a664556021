/** The table of `baton runs`, with its totals. Pure: rows and a width in, text out. */
import { addTokens, noTokens, type Tokens } from "../domain/domain.ts";
import { counted, plain, plainEnds } from "../facts/facts.ts";
import type { RunRow } from "../ledger/ledger.ts";
import {
  type Column,
  type Paint,
  relative,
  span,
  stamp,
  type Style,
  tableLines,
  tokenCount,
  wrapTo,
} from "../terminal/terminal.ts";
import { outcomeWord, tookMs, type Until } from "./run-view.ts";

export interface Look extends Until {
  readonly columns: number;
  readonly paint: Paint;
  /** A daemon has the ledger; when nothing else is said, one does. */
  readonly isServed?: boolean;
}

/** Less of a title or an error than this says nothing; for more of it other columns make room. */
const TITLE_MIN = 12;
const TITLE_GOOD = 24;

/** A title or an error is cut to the terminal anyway; before that, to something that is quick to measure. */
const TITLE_CHARS_MAX = 300;

export function runsTable(
  rows: readonly RunRow[],
  { now, columns, paint, isServed = true, ...look }: Look,
  of: "one issue" | "many" = "many",
): readonly string[] {
  const workflows = new Set(rows.map(({ workflow }) => workflow)).size;
  const all: readonly Column<RunRow>[] = [
    { title: "RUN", text: ({ id }) => id, style: () => "bold" },
    ...(of === "many" ? [issueColumn] : []),
    ...(workflows > 1 ? [workflowColumn] : []),
    {
      title: "OUTCOME",
      text: (row) => outcomeWord(row, isServed),
      style: (row) => outcomeStyle(outcomeWord(row, isServed)),
    },
    { title: "STARTED", text: ({ startedAt }) => stamp(startedAt, now) },
    {
      title: "AGO",
      text: ({ startedAt }) => relative(startedAt, now).replace(/ ago$/, ""),
      align: "right",
      style: () => "dim",
      spare: 1,
    },
    { title: "TOOK", text: (row) => span(tookMs(row, { now, ...look })), align: "right" },
    { title: "TURNS", text: ({ turns }) => String(turns), align: "right", spare: 2 },
    { title: "TOKENS", text: ({ tokens }) => tokenCount(tokens.total), align: "right", spare: 3 },
    of === "many" ? titleColumn : errorColumn,
  ];
  return tableLines(all, rows, columns, paint);
}

const issueColumn: Column<RunRow> = { title: "ISSUE", text: ({ identifier }) => plain(identifier, 24) };
const workflowColumn: Column<RunRow> = { title: "WORKFLOW", text: ({ workflow }) => plain(workflow, 16) };

/** What went wrong, where something did; what it was about, where nothing did. */
const titleColumn: Column<RunRow> = {
  title: "TITLE OR ERROR",
  text: (row) => errorOf(row) ?? plain(row.title, TITLE_CHARS_MAX),
  restMin: TITLE_MIN,
  restGood: TITLE_GOOD,
  keepsEnd: (row) => errorOf(row) !== null,
};

const errorColumn: Column<RunRow> = {
  title: "ERROR",
  text: (row) => errorOf(row) ?? "",
  restMin: TITLE_MIN,
  restGood: TITLE_GOOD,
  keepsEnd: () => true,
};

const errorOf = ({ ending }: RunRow): string | null =>
  ending === null || ending.failure === null ? null : plainEnds(ending.failure.message, TITLE_CHARS_MAX);

export function outcomeStyle(outcome: ReturnType<typeof outcomeWord>): Style {
  switch (outcome) {
    case "completed":
      return "green";
    case "running":
      return "cyan";
    case "cut short":
    case "canceled":
    case "interrupted":
      return "yellow";
    case "failed":
    case "timed_out":
    case "stalled":
    case "lost":
      return "red";
  }
}

/** `6 runs of 4 issues: 5 completed, 1 failed` and what they used. */
export function totalsLines(
  rows: readonly RunRow[],
  { columns, isServed = true, ...until }: Look,
): readonly string[] {
  const outcomes = new Map<string, number>();
  for (const row of rows) {
    const word = outcomeWord(row, isServed);
    outcomes.set(word, (outcomes.get(word) ?? 0) + 1);
  }
  const issues = new Set(rows.map(({ issueId }) => issueId)).size;
  const by = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  const turns = rows.reduce((sum, row) => sum + row.turns, 0);
  const worked = rows.reduce((sum, row) => sum + tookMs(row, until), 0);
  const tokens = rows.reduce((sum, row) => addTokens(sum, row.tokens), noTokens);
  return [
    `${counted(rows.length, "run")} of ${counted(issues, "issue")}: ${by}`,
    `${counted(turns, "turn")}, ${span(worked)} of agent time, ${tokenSum(tokens)}`,
  ].flatMap((line) => wrapTo(columns, line));
}

/** `1.2M tokens (1.1M in, 900k of them cached, 100k out)`. */
export const tokenSum = ({ total, input, cachedInput, output }: Tokens): string =>
  total === 0
    ? "no tokens"
    : `${tokenCount(total)} tokens (${tokenCount(input)} in, ${tokenCount(cachedInput)} of them cached, ${tokenCount(output)} out)`;
