/** What it costs the daemon to hear 100,000 pieces of streamed text in one turn. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aside, bounded, median, type Figure } from "./figure.ts";
import { session } from "./session.ts";

const EVENTS = 100_000;
const REPEATS = 5;

/** How much longer the turn is that shows whether memory grows with its length. */
const LONG = 10;

/** What counts as flat: the garbage collector's own ups and downs, a tenth of the 200 MB that such a turn brings. */
const FLAT_MB = 20;

/** One turn may take this long: a daemon that needs more has failed, not missed a target. */
const TURN_MS = 60_000;

interface Turn {
  /** CPU seconds from the first event to the end of the run, and from the process's start. */
  readonly turn: number;
  readonly whole: number;
  readonly peak: number;
}

export async function events(): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "baton-bench-flood-"));
  const file = join(directory, "deltas.jsonl");
  writeFileSync(file, deltas(EVENTS));
  try {
    const none: Turn[] = [];
    const some: Turn[] = [];
    for (let i = 0; i < REPEATS; i++) {
      none.push(await oneTurn(file, 0));
      some.push(await oneTurn(file, 1));
    }
    const long = await oneTurn(file, LONG);
    return figures(none, some, long);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function figures(none: readonly Turn[], some: readonly Turn[], long: Turn): readonly Figure[] {
  const of = (turns: readonly Turn[], pick: keyof Turn): number => median(turns.map((turn) => turn[pick]));
  const peaks = `${of(none, "peak").toFixed(0)} / ${of(some, "peak").toFixed(0)} / ${long.peak.toFixed(0)} MB`;
  const longer = (long.turn - of(none, "turn")) / LONG;
  const each = some.map((turn) => turn.turn.toFixed(2)).join(" ");
  return [
    bounded("100,000 agent events", of(some, "turn") - of(none, "turn"), {
      max: 0.15,
      unit: "CPU s",
      digits: 2,
      how: `a turn with them (${each}) less a turn without (${of(none, "turn").toFixed(2)}), medians of ${REPEATS}`,
    }),
    aside(
      "  by whole processes",
      `${(of(some, "whole") - of(none, "whole")).toFixed(2)} CPU s`,
      "the same, from start to end of the process",
    ),
    bounded("  more memory for 1,000,000", Math.max(0, long.peak - of(some, "peak")), {
      max: FLAT_MB,
      unit: "MB",
      digits: 0,
      how: `peak RSS with 0 / 100,000 / 1,000,000 in one turn: ${peaks}`,
    }),
    aside("  per 100,000 of 1,000,000", `${longer.toFixed(2)} CPU s`, "one turn, once"),
  ];
}

const oneTurn = (file: string, times: number): Promise<Turn> =>
  session(1, async ({ board, daemon: start }) => {
    board.add(1);
    const { daemon } = start({ agent: `flood ${file} ${times}`, agentsMax: 1, pollMs: 30_000 });
    await board.until("flood", 1, TURN_MS);
    const before = daemon.figures();
    await daemon.until("run_ended", 1, TURN_MS);
    const after = daemon.figures();
    await daemon.stop();
    return { turn: after.cpu - before.cpu, whole: after.cpu, peak: after.peak };
  });

/** As 0.169 writes them, some 200 bytes each; the ids are those of the light agent's flood. */
function deltas(count: number): string {
  const ids = {
    threadId: "019a9d3e-0000-7000-8000-000000000001",
    turnId: "019a9d3e-0001-7000-8000-000000000001",
    itemId: "msg_0000000000000001",
  };
  return Array.from({ length: count }, (_, i) => {
    const params = { ...ids, delta: ` word${i % 1000}` };
    return `${JSON.stringify({ method: "item/agentMessage/delta", params, emittedAtMs: 1_795_187_592_179 + i })}\n`;
  }).join("");
}
