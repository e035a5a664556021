/**
 * One fact as one line for a person at a terminal: time, issue, run, message. The ids of threads and turns, which nobody
 * reads aloud, are in the JSON form and in the ledger; `baton show r7` leads from the run to all of them.
 */
import { styleText } from "node:util";
import type { Fact } from "../domain/domain.ts";
import type { Description, Level } from "./describe.ts";
import { plain } from "./plain.ts";

/** Ids and names are short; a longer one was made to spoil the line. */
const VALUE_CHARS_MAX = 120;

const styles = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const satisfies Record<
  Level,
  Parameters<typeof styleText>[0]
>;

export function logLine(fact: Fact, { level, message }: Description, colour: boolean): string {
  const style = (name: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(name, text, { validateStream: false }) : text;
  const { identifier, runId, workflow } = fact;
  const who = identifier ?? (workflow === undefined ? undefined : `(${workflow})`);
  const parts = [
    style("dim", timeOf(fact)),
    style(styles[level], level.padEnd(5)),
    ...(who === undefined ? [] : [style("bold", plain(who, VALUE_CHARS_MAX))]),
    ...(runId === undefined ? [] : [style("dim", plain(runId, VALUE_CHARS_MAX))]),
    message,
  ];
  return `${parts.join(" ")}\n`;
}

/** With its offset, so that a line copied into a ticket still says when it was. */
const timeOf = ({ at }: Fact): string => new Date(at).toISOString().slice(0, 19).concat("Z");
