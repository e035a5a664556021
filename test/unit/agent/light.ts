/** The small app-server of test/fixtures as an agent's command. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createCodexAgent, type CodexOptions } from "../../../src/agent/codex/codex.ts";
import { instant } from "../../../src/domain/time.ts";
import { Heard } from "./heard.ts";

const program = join(import.meta.dirname, "../../fixtures/light-app-server.ts");

/** A command of the shell that becomes the small app-server. The same node as the test's: a login shell may know another. */
export const lightCommand = (...options: readonly string[]): string =>
  ["exec", process.execPath, "--no-warnings", program, ...options]
    .map((word) => `'${word}'`)
    .join(" ")
    .replace("'exec'", "exec");

/** Command lines of our own children that still live. */
export function liveChildren(): readonly string[] {
  try {
    const lines = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)], { encoding: "utf8" });
    return lines.split("\n").filter((line) => line.includes("light-app-server") || line.includes("bash -lc"));
  } catch {
    return []; // ps finds none and says so by its exit code
  }
}

/** A session with the small app-server, which behaves as `options` say. */
export function light(
  options: readonly string[] = [],
  more: ConstructorParameters<typeof Heard>[1] = {},
  agentOptions: Partial<CodexOptions> = {},
): Heard {
  const agent = createCodexAgent({
    clock: () => instant(Date.now()),
    env: process.env,
    version: "0",
    ...agentOptions,
  });
  return new Heard(agent, { command: lightCommand(...options), ...more });
}
