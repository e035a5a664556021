#!/usr/bin/env node
/** Argv to command. The version is checked before anything native is loaded: an old Node would only show a stack trace. */
import { nodeProblem } from "./cli/node-version.ts";

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  const { main } = await import("./cli/program.ts");
  process.exitCode = await main(process.argv);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 5;
}
