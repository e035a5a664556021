/** What happened in a run, line by line, each with the time since the run began. Pure. */
import type { Fact } from "../domain/fact.ts";
import type { Failure } from "../domain/failure.ts";
import { spentSince, type Tokens } from "../domain/run.ts";
import { describe, type Level } from "../facts/describe.ts";
import { plain } from "../facts/plain.ts";
import type { RunRow, TimelineRow } from "../ledger/port.ts";
import { isoTime, sinceStart, tokenCount } from "../terminal/amounts.ts";
import type { Paint, Style } from "../terminal/colour.ts";
import { snakeCase } from "./snake-case.ts";
import { wrapTo } from "../terminal/text-width.ts";

export interface TimelineLook {
  /** Lines longer than this are wrapped; null = never, so that a pipe gets one line for one thing. */
  readonly columns: number | null;
  readonly paint: Paint;
  /** Also what only somebody who looks for a fault wants to see. */
  readonly verbose: boolean;
}

/** `+1:05:09` and two spaces. */
const timeColumns = 8;
const indent = " ".repeat(timeColumns + 2);

/** A narrower column of text is harder to read than a line that runs over. */
const textColumnsMin = 40;

/** The lines of one run's timeline. Rows of other runs are left out. */
export function timelineLines(
  run: RunRow,
  rows: readonly TimelineRow[],
  look: TimelineLook,
): readonly string[] {
  const spending = new Spending();
  return rows
    .filter(({ runId }) => runId === run.id)
    .flatMap(({ at, fact }) => {
      const spent = spending.after(fact);
      const { level, message } = describe(withoutFailure(fact));
      if (level === "debug" && !look.verbose) return [];
      const text = spent === null ? message : `${message} (${tokenCount(spent)} tokens)`;
      return entryLines(at - run.startedAt, level, text, look);
    });
}

/** The end of a run says how, the block below the timeline says why: once is enough. */
const withoutFailure = (fact: Fact): Fact =>
  fact.type === "run_ended" ? { ...fact, ending: { ...fact.ending, failure: null } } : fact;

function entryLines(ms: number, level: Level, text: string, look: TimelineLook): readonly string[] {
  const time = look.paint("dim", sinceStart(ms).padStart(timeColumns));
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
const detailLinesMax = 30;
const detailCharsMax = 2_000;

/** Kind, reason, what to do, and what the program said last. */
export function failureLines(
  { kind, message, hint, detail }: Failure,
  look: TimelineLook,
): readonly string[] {
  const said = (detail ?? "")
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const left = said.length - detailLinesMax;
  const why = wrapped(`${kind}: ${plain(message, detailCharsMax)}`, look);
  const todo = hint === null ? [] : wrapped(`What to do: ${plain(hint, detailCharsMax)}`, look);
  return [
    ...why.map((line) => look.paint("red", line)),
    ...todo,
    ...(left > 0 ? [`| … ${left} lines before`] : []),
    ...said.slice(-detailLinesMax).map((line) => `| ${plain(line, detailCharsMax)}`),
  ].map((line) => indent + line);
}

/** The lines of a text that stands right of the times. */
const wrapped = (text: string, { columns }: TimelineLook): readonly string[] =>
  columns === null ? [text] : wrapTo(Math.max(textColumnsMin, columns - indent.length), text);

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
