/** The processes of this machine. The one place that chooses how they are asked for. */
import { existsSync } from "node:fs";
import { Census } from "./census.ts";
import type { Processes } from "./port.ts";
import { procfs } from "./proc.ts";
import { ps } from "./ps.ts";

/** /proc where there is one: it says more, and no program has to be started to read it. */
function systemHere(): Processes {
  if (existsSync("/proc/self/stat")) return procfs;
  return ps(process.platform === "linux" ? "procps" : "bsd");
}

/** What is not as it is with /proc, in a sentence; null where nothing is. docs/DEPLOY.md has it at length. */
export const weaknessOf = (source: Processes["source"]): string | null =>
  source === "/proc"
    ? null
    : "there is no /proc here: processes that leave their run behind are found by ps, which sees less";

/** One for all that look. */
export const machine = new Census(systemHere());
