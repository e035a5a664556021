/** Colours for a terminal; a pipe, a file and NO_COLOR get none. */
import { styleText } from "node:util";
import type { Output } from "./output.ts";

export type Style = "red" | "green" | "yellow" | "cyan" | "dim" | "bold";
export type Paint = (style: Style, text: string) => string;

export const unpainted: Paint = (_style, text) => text;

/** Colours on a terminal that can show them, unless NO_COLOR says no (https://no-color.org). */
export const paintFor = (
  { isTerminal }: Pick<Output, "isTerminal">,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Paint =>
  isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb"
    ? (style, text) => styleText(style, text, { validateStream: false })
    : unpainted;
