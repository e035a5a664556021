#!/usr/bin/env node
/** Argv to command. The version is checked before anything native is loaded: an old Node would only show a stack trace. */
import module from "node:module";
import { setFlagsFromString } from "node:v8";
import { nodeProblem } from "./node-version.ts";

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  // Most of a start is compiling the same libraries again; Node keeps the result where it may write.
  module.enableCompileCache?.();
  const { main } = await import("./cli/cli.ts");
  keepYoungSpaceSmall();
  process.exitCode = await main(process.argv);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 5;
}

/**
 * V8 lets its space for new objects grow to 48 MB before it looks for garbage, and the buffers that a talkative agent's
 * output came in wait for that too. Kept small, a busy daemon needs 27 MB less and a long turn 78 MB less, for a twelfth
 * more CPU (docs/PERFORMANCE.md).
 */
function keepYoungSpaceSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
