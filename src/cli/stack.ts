/** Stack traces of the built program, told in places of its sources: whoever repairs something knows only those. */
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload, type SourceOrigin } from "node:module";

/** Line and column of a file as V8 writes them; both count from 1. */
const place = /(\/[^()\n]*\.js):(\d+):(\d+)/g;

/**
 * What is known of an error. Translated only here, where it is printed: Node can do it for every error
 * (`--enable-source-maps`), but then it reads the maps, larger than the program, at each start.
 */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const maps = new Map<string, SourceMap | null>();
  return (error.stack ?? error.message).replaceAll(
    place,
    (found, file: string, line: string, column: string) => {
      if (!maps.has(file)) maps.set(file, mapOf(file));
      const origin: Partial<SourceOrigin> = maps.get(file)?.findOrigin(Number(line), Number(column)) ?? {};
      if (origin.fileName === undefined) return found;
      return `${origin.fileName.replace(/^(\.\.\/)+/, "")}:${origin.lineNumber}:${origin.columnNumber}`;
    },
  );
}

/** The map beside a built file; null where there is none, as beside a source. */
function mapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  } catch {
    return null;
  }
}
