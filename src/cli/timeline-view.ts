/** What happened in a run, line by line, each with the time since the run began. Pure. */
import { type Fact, type Failure, spentSince, type Tokens } from "../domain/domain.ts";
import { describe, type Level, plain } from "../facts/facts.ts";
import type { RunRow, TimelineRow } from "../ledger/ledger.ts";
import { isoTime, type Paint, sinceStart, type Style, tokenCount, wrapTo } from "../terminal/terminal.ts";
import { snakeCase } from "./snake-case.ts";

export interface TimelineLook {
  /** Lines longer than this are wrapped; null = never, so that a pipe gets one line for one thing. */
  readonly columns: number | null;
  readonly paint: Paint;
  /** Also what only somebody who looks for a fault wants to see. */
  readonly verbose: boolean;
}

/** `+1:05:09` and two spaces. */
const TIME_COLUMNS = 8;
const indent = " ".repeat(TIME_COLUMNS + 2);

/** A narrower column of text is harder to read than a line that runs over. */
const TEXT_COLUMNS_MIN = 40;

/** The lines of one run's timeline. Rows of other runs are left out. */
export function timelineLines(
  run: RunRow,
  rows: readonly TimelineRow[],
  look: TimelineLook,
): readonly string[] {
  const spending = new Spending();
  const own = rows.filter(({ runId }) => runId === run.id);
  const hanging = run.ending === null ? unfinishedHook(own) : null;
  return own.flatMap(({ at, fact }) => {
    const spent = spending.after(fact);
    const { level, message } = describe(withoutFailure(fact));
    if (level === "debug" && !look.verbose && fact !== hanging) return [];
    const text = spent === null ? message : `${message} (${tokenCount(spent)} tokens)`;
    return entryLines(at - run.startedAt, level, text, look);
  });
}

/** The hook that the run is in: worth a line as long as it lasts. */
function unfinishedHook(rows: readonly TimelineRow[]): Fact | null {
  const last = rows.findLast(({ fact }) => fact.type === "hook_started" || fact.type === "hook_ran");
  return last?.fact.type === "hook_started" ? last.fact : null;
}

/** The end of a run says how, the block below the timeline says why: once is enough. */
const withoutFailure = (fact: Fact): Fact =>
  fact.type === "run_ended" ? { ...fact, ending: { ...fact.ending, failure: null } } : fact;

function entryLines(ms: number, level: Level, text: string, look: TimelineLook): readonly string[] {
  const time = look.paint("dim", sinceStart(ms).padStart(TIME_COLUMNS));
  const style = levelStyle[level];
  const [first = "", ...more] = wrapped(text, look).map((line) =>
    style === null ? line : look.paint(style, line),
  );
  return [`${time}  ${first}`, ...more.map((line) => indent + line)];
}

const levelStyle: Readonly<Record<Level, Style | null>> = {
  debug: "dim",
  info: null,
  warn: "yellow",
  error: "red",
};

/** What each turn used, from the thread's running total. */
class Spending {
  #total: Tokens | null = null;
  #before: Tokens | null = null;

  /** Tokens of the turn that `fact` ends; null for every other fact, and when nothing is known. */
  after(fact: Fact): number | null {
    if (fact.type === "usage") this.#total = fact.total;
    if (fact.type === "turn_started") this.#before = this.#total;
    if (fact.type !== "turn_ended" || this.#total === null) return null;
    const spent = this.#before === null ? this.#total.total : spentSince(this.#total, this.#before).total;
    return spent === 0 ? null : spent;
  }
}

/** The last lines of a long detail: what went wrong comes last. */
const DETAIL_LINES_MAX = 30;
const DETAIL_CHARS_MAX = 2_000;

/** Kind, reason, what to do, and what the program said last. */
export function failureLines(
  { kind, message, hint, detail }: Failure,
  look: TimelineLook,
): readonly string[] {
  const said = (detail ?? "")
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const left = said.length - DETAIL_LINES_MAX;
  const why = wrapped(`${kind}: ${plain(message, DETAIL_CHARS_MAX)}`, look);
  const todo = hint === null ? [] : wrapped(`What to do: ${plain(hint, DETAIL_CHARS_MAX)}`, look);
  return [
    ...why.map((line) => look.paint("red", line)),
    ...todo,
    ...(left > 0 ? [`| … ${left} lines before`] : []),
    ...said.slice(-DETAIL_LINES_MAX).map((line) => `| ${plain(line, DETAIL_CHARS_MAX)}`),
  ].map((line) => indent + line);
}

/** The lines of a text that stands right of the times. */
const wrapped = (text: string, { columns }: TimelineLook): readonly string[] =>
  columns === null ? [text] : wrapTo(Math.max(TEXT_COLUMNS_MIN, columns - indent.length), text);

export interface TimelineEntry {
  readonly at: string | null;
  readonly run_id: string | null;
  readonly type: string;
  readonly level: Level;
  readonly message: string;
  /** The fact's own fields. */
  readonly fact: unknown;
}

export function timelineView({ at, runId, fact }: TimelineRow): TimelineEntry {
  const { type, at: _a, workflow: _w, issueId: _i, identifier: _n, runId: _r, ...fields } = fact;
  return { at: isoTime(at), run_id: runId, type, ...describe(fact), fact: snakeCase(fields) };
}
