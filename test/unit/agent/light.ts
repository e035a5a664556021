/** The small app-server of test/fixtures as an agent's command. */
import { join } from "node:path";
import { createCodexAgent, type CodexOptions } from "../../../src/agent/codex/codex.ts";
import { agentMark } from "../../../src/agent/codex/environment.ts";
import { instant } from "../../../src/domain/time.ts";
import { markedProcesses } from "../../processes.ts";
import { Heard, startedRuns } from "./heard.ts";

const program = join(import.meta.dirname, "../../fixtures/light-app-server.ts");

/** A command of the shell that becomes the small app-server. The same node as the test's: a login shell may know another. */
export const lightCommand = (...options: readonly string[]): string =>
  `exec ${[process.execPath, "--no-warnings", program, ...options].map((word) => `'${word}'`).join(" ")}`;

/** Processes of the sessions of this test that still live. */
export const liveChildren = (): readonly number[] => markedProcesses(startedRuns.map(agentMark));

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
