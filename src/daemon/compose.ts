/** The real thing put together: Codex, Linear, the disk and SQLite around one daemon. Used by `run` and by the demo. */
import { dirname, join } from "node:path";
import { createCodexAgent } from "../agent/codex/codex.ts";
import type { WorkflowName } from "../domain/run.ts";
import type { Facts } from "../facts/facts.ts";
import type { Redactor } from "../facts/redact.ts";
import { takeLock } from "../ledger/lock.ts";
import { openLedger } from "../ledger/sqlite.ts";
import { linearGraphqlTool } from "../tracker/linear/graphql-tool.ts";
import { createLinearTracker } from "../tracker/linear/linear.ts";
import type { WorkflowFile } from "../workflow/workflow.ts";
import { bashHooks } from "../workspace/bash.ts";
import { createDiskWorkspaces } from "../workspace/disk.ts";
import { DiskSpace, diskVerdict } from "../workspace/disk-space.ts";
import { fingerprint } from "../workspace/progress.ts";
import { createRescuer } from "../workspace/rescue.ts";
import { pruneRescues, rescueDirectory } from "../workspace/rescues.ts";
import { realClock } from "./clock.ts";
import { Daemon } from "./daemon.ts";

export interface Composition {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: readonly WorkflowFile[];
  readonly warnings: ReadonlyMap<WorkflowName, readonly string[]>;
  readonly ledgerPath: string;
  readonly facts: Facts;
  /** The one that `facts` uses: it learns the tracker keys as workflows are loaded. */
  readonly redactor: Redactor;
}

export interface Composed {
  readonly daemon: Daemon;
  /** Closes the ledger and lets go of it; the daemon must have stopped. Idempotent. @throws LedgerError, when closed all the same */
  readonly close: () => void;
}

/** Takes the lock, opens the ledger, builds the daemon; nothing runs yet. @throws LockHeld, LedgerError */
export function compose({
  version,
  env,
  files,
  warnings,
  ledgerPath,
  facts,
  redactor,
}: Composition): Composed {
  const clock = realClock();
  const keys = new Set<string>();
  const lock = takeLock(join(dirname(ledgerPath), "lock.db"), {
    pid: process.pid,
    since: new Date(clock.now()).toISOString(),
    workflows: files.map((file) => file.path),
  });
  const rescues = rescueDirectory(dirname(ledgerPath));
  const disk = new DiskSpace({ now: () => performance.now() });
  const ledger = openLedger(ledgerPath, {
    redact: (value) => redactor.deep(value),
    onTrouble: ({ message, hint }) =>
      facts.publish({ type: "warning", message: `${message}. ${hint}`, at: clock.now() }),
  });
  const daemon = new Daemon({
    version,
    files,
    warnings,
    clock,
    ledger,
    facts,
    onLoaded: ({ settings }) => {
      keys.add(settings.tracker.apiKey);
      redactor.add(settings.tracker.apiKey);
    },
    makeTracker: ({ settings }, news) => createLinearTracker(settings.tracker, news, clock.now),
    toolsFor: (tracker, publish) => [linearGraphqlTool(tracker, publish)],
    agent: createCodexAgent({ clock: clock.now, env, version }),
    survey: fingerprint,
    workspaces: createDiskWorkspaces(
      { run: bashHooks({ environment: env, secrets: () => [...keys] }), now: () => performance.now() },
      createRescuer({ directory: rescues, now: clock.now }),
    ),
    diskLow: async (settings) => diskVerdict(await disk.look(settings), settings),
    tidy: async () => {
      const days = files.map((file) => file.current().settings.rescue.retentionDays);
      await pruneRescues(rescues, Math.max(0, ...days), clock.now());
    },
  });
  return {
    daemon,
    close: () => {
      try {
        ledger.close();
      } finally {
        lock.release();
      }
    },
  };
}
