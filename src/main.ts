#!/usr/bin/env node
/** Argv to command. The version is checked before anything native is loaded: an old Node would only show a stack trace. */
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { nodeProblem } from "./node-version.ts";

void start();

async function start(): Promise<void> {
  const beside = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  const problem = nodeProblem({
    version: process.versions.node,
    argv: process.argv.slice(1),
    beside: existsSync(beside) ? beside : null,
  });
  if (problem === null) {
    // Most of a start is compiling the same libraries again; Node keeps the result where it may write.
    module.enableCompileCache?.();
    const { main } = await import("./cli/cli.ts");
    process.exitCode = await main(process.argv);
  } else {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 5;
  }
}
