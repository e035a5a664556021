/** The page of `baton show --told`: the input of each turn of the runs asked for, in order. Pure. */
import { plain } from "../facts/facts.ts";
import type { RunRow, ToldRow } from "../ledger/ledger.ts";
import { fullStamp, isoTime, type Paint } from "../terminal/terminal.ts";

/** What the turns of a run were given. */
export interface RunTold {
  readonly run: RunRow;
  readonly told: readonly ToldRow[];
}

const NOT_KEPT = "(not kept: it is older than the history, or was told by an older version)";

export const toldText = (runs: readonly RunTold[], paint: Paint): string =>
  runs
    .flatMap(({ run, told }) =>
      told.map(({ turn, at, text }) => {
        const heading = paint("bold", `${run.id}, turn ${turn}, ${fullStamp(at)}`);
        const lines = text?.split("\n").map(shown) ?? [NOT_KEPT];
        return [heading, ...lines].join("\n");
      }),
    )
    .join("\n\n") || "No turn has begun yet.";

/** JSON has longer ones whole. */
const LINE_CHARS_MAX = 4_000;

/** Fit for a terminal, and indented as it was. */
const shown = (line: string): string => /^ */.exec(line)?.[0] + plain(line, LINE_CHARS_MAX);

/** The same as JSON, word for word. */
export const toldView = (runs: readonly RunTold[]) =>
  runs.flatMap(({ run, told }) =>
    told.map(({ turn, at, text }) => ({ run_id: run.id, turn, at: isoTime(at), text })),
  );
