/** The face of this folder: text on a terminal: tables, widths, colours, amounts. It knows nothing of Baton. */
export { type Output, processOutput } from "./output.ts";
export { fullStamp, isoTime, relative, sinceStart, span, stamp, tokenCount } from "./amounts.ts";
export { type Paint, paintFor, type Style } from "./colour.ts";
export { cutTo, wrapTo } from "./text-width.ts";
export { type Column, tableLines } from "./table.ts";
