/** Colours for a terminal; a pipe, a file and NO_COLOR get none. */
import { styleText } from "node:util";
import type { Output } from "./output.ts";

export type Style = "red" | "green" | "yellow" | "cyan" | "dim" | "bold";
export type Paint = (style: Style, text: string) => string;

export const unpainted: Paint = (_style, text) => text;

/** What this output may show. `hasColors` knows of NO_COLOR, TERM=dumb and what the terminal can do. */
export const paintFor = ({ isTerminal }: Output): Paint =>
  isTerminal && process.stdout.hasColors()
    ? (style, text) => styleText(style, text, { validateStream: false })
    : unpainted;
