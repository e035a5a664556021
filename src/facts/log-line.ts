/** One fact as one line for a person at a terminal: time, level, issue, message, then `key=value` for what to search by. */
import { styleText } from "node:util";
import type { Fact } from "../domain/fact.ts";
import type { Description, Level } from "./describe.ts";
import { scopeFields } from "./log-fields.ts";
import { plain } from "./plain.ts";

/** Ids and names are short; a longer one is somebody's idea of a joke. */
const valueCharsMax = 120;

const styles = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const satisfies Record<
  Level,
  Parameters<typeof styleText>[0]
>;

export function logLine(fact: Fact, { level, message }: Description, colour: boolean): string {
  const style = (name: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(name, text, { validateStream: false }) : text;
  const { issue_identifier: identifier, ...scope } = scopeFields(fact);
  const parts = [
    style("dim", timeOf(fact)),
    style(styles[level], level.padEnd(5)),
    ...(identifier === undefined ? [] : [style("bold", plain(identifier, valueCharsMax))]),
    message,
    style("dim", keyValues({ fact: fact.type, ...scope })),
  ];
  return `${parts.join(" ")}\n`;
}

/** With its offset, so that a line copied into a ticket still says when it was. */
const timeOf = ({ at }: Fact): string => new Date(at).toISOString().slice(0, 19).concat("Z");

const keyValues = (fields: object): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${valueOf(String(value))}`)
    .join(" ");

function valueOf(text: string): string {
  const value = plain(text, valueCharsMax);
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
