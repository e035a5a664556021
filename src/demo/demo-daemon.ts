/** The daemon of the demo: composed as `baton run` does it, on the demo's WORKFLOW.md, environment and log. */
import { closeSync, openSync } from "node:fs";
import { homedir } from "node:os";
import { compose, type Daemon } from "../daemon/daemon.ts";
import { createLog, Facts, Redactor } from "../facts/facts.ts";
import { WorkflowFile } from "../workflow/workflow.ts";
import type { Place } from "./place.ts";

export interface DemoDaemon {
  readonly daemon: Daemon;
  readonly facts: Facts;
  /** Ends what the daemon was given; it must have stopped. Tolerates a second call. */
  close(): void;
}

export function buildDaemon(
  place: Place,
  version: string,
  env: Readonly<Record<string, string | undefined>>,
): DemoDaemon {
  const file = new WorkflowFile(place.workflow, env, homedir());
  const loaded = file.loaded();
  const redactor = new Redactor();
  const facts = new Facts(redactor);
  const log = openSync(place.log, "a", 0o600);
  facts.subscribe(createLog({ pretty: false, level: "debug", fd: log }));
  const composed = compose({
    version,
    env,
    files: [file],
    warnings: new Map([[file.current().settings.name, loaded.ok ? loaded.warnings : []]]),
    ledgerPath: place.ledger,
    facts,
    redactor,
  });
  let open = true;
  return {
    daemon: composed.daemon,
    facts,
    close: () => {
      if (!open) return;
      open = false;
      composed.close();
      closeSync(log);
    },
  };
}
