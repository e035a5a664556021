/** The daemon of the demo: put together as `baton run` does it, on the demo's WORKFLOW.md, environment and log. */
import { closeSync, openSync } from "node:fs";
import { homedir } from "node:os";
import { createCodexAgent } from "../agent/codex/codex.ts";
import { realClock } from "../daemon/clock.ts";
import { Daemon } from "../daemon/daemon.ts";
import type { Instant } from "../domain/time.ts";
import type { Facts } from "../facts/facts.ts";
import { createLog } from "../facts/log.ts";
import { openLedger } from "../ledger/sqlite.ts";
import { linearGraphqlTool } from "../tracker/linear/graphql-tool.ts";
import { createLinearTracker } from "../tracker/linear/linear.ts";
import { WorkflowFile } from "../workflow/workflow.ts";
import { bashHooks } from "../workspace/bash.ts";
import { createDiskWorkspaces } from "../workspace/disk.ts";
import type { Place } from "./place.ts";

export interface DemoDaemonParts {
  readonly place: Place;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly facts: Facts;
  /** What the agent and the hooks must not see. */
  readonly secret: string;
}

export interface DemoDaemon {
  readonly daemon: Daemon;
  /** Ends what the daemon was given; it must have stopped. Tolerates a second call. */
  close(): void;
}

export function buildDaemon({ place, version, env, facts, secret }: DemoDaemonParts): DemoDaemon {
  const file = new WorkflowFile(place.workflow, env, homedir());
  const loaded = file.loaded();
  const log = openSync(place.log, "a", 0o600);
  facts.subscribe(createLog({ pretty: false, level: "debug", fd: log }));
  const ledger = openLedger(place.ledger);
  const clock = realClock();
  const now = (): Instant => clock.now();
  const daemon = new Daemon({
    version,
    files: [file],
    warnings: new Map([[file.current().settings.name, loaded.ok ? loaded.warnings : []]]),
    clock,
    ledger,
    facts,
    onLoaded: () => undefined,
    makeTracker: ({ settings }, news) => createLinearTracker(settings.tracker, news, now),
    toolsFor: (tracker, publish) => [linearGraphqlTool(tracker, publish)],
    agent: createCodexAgent({ clock: now, env, version }),
    workspaces: createDiskWorkspaces({
      run: bashHooks({ environment: env, secrets: () => [secret] }),
      now: () => performance.now(),
    }),
  });
  let open = true;
  return {
    daemon,
    close: () => {
      if (!open) return;
      open = false;
      ledger.close();
      closeSync(log);
    },
  };
}
