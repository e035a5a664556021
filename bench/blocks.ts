/** How long the daemon hears nobody, because it is at work: measured from the inside, in a run of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aside, bounded, type Figure } from "./figure.ts";
import { fullBoard } from "./full-board.ts";
import type { Blocks } from "./preload/blocks.ts";
import { here, programIn } from "./program.ts";
import { usualBoard } from "./tickets.ts";

/** A tenth of what an agent that waits for an answer would notice. */
const P99_CPU_MS = 20;

export async function blocks(): Promise<readonly Figure[]> {
  const { looks, cpu, clock } = await blocksOf(programIn(here));
  return [
    bounded("the event loop's longest blocks, p99", cpu.p99, {
      max: P99_CPU_MS,
      unit: "CPU ms",
      digits: 1,
      how: `of ${looks} stretches between two looks, one a millisecond when nothing is to do; ${usualBoard.tickets} tickets`,
    }),
    aside("  the longest", `${cpu.max.toFixed(1)} CPU ms`, "the start included"),
    aside(
      "  the same by the clock",
      `${clock.p99.toFixed(1)} ms, ${clock.max.toFixed(1)} ms`,
      "p99 and the longest; waiting for the disk and for other work on the machine included",
    ),
  ];
}

/** Of this program. @throws Error when the board is not done as it has to be */
export async function blocksOf(program: string): Promise<Blocks> {
  const directory = mkdtempSync(join(tmpdir(), "baton-bench-blocks-"));
  const file = join(directory, "blocks.json");
  const preload = new URL("./preload/blocks.ts", import.meta.url);
  preload.searchParams.set("to", file);
  try {
    const nodeArgs = ["--import", preload.href];
    const { problem } = await fullBoard({ ...usualBoard, nodeArgs, program });
    if (problem !== null) throw new Error(problem);
    return JSON.parse(readFileSync(file, "utf8")) as Blocks;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
