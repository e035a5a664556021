/** The real thing put together: Codex, Linear, the disk and SQLite around one daemon. Used by `run` and by the demo. */
import { dirname, join } from "node:path";
import { createCodexAgent } from "../agent/codex/codex.ts";
import type { WorkflowName } from "../domain/run.ts";
import { after } from "../domain/time.ts";
import type { Facts } from "../facts/bus.ts";
import type { Redactor } from "../facts/redact.ts";
import { takeLock } from "../ledger/lock.ts";
import { openWholeLedger } from "../ledger/repair/rebuild.ts";
import { tendLedger } from "../ledger/tend.ts";
import { linearGraphqlTool } from "../tracker/linear/graphql-tool.ts";
import { createLinearTracker } from "../tracker/linear/linear.ts";
import { rateGates } from "../tracker/linear/rate-gate.ts";
import type { WorkflowFile } from "../workflow/workflow.ts";
import { bashHooks } from "../workspace/hooks/bash.ts";
import { createDiskWorkspaces } from "../workspace/disk.ts";
import { DiskSpace, diskVerdict } from "../workspace/disk-space.ts";
import { fingerprint } from "../workspace/git/progress.ts";
import { createRescuer } from "../workspace/rescue/rescuer.ts";
import { pruneRescues, rescueDirectory } from "../workspace/rescue/rescues.ts";
import { realClock } from "./clock.ts";
import { Daemon } from "./service.ts";
import type { Failpoint } from "./failpoints.ts";

export interface Composition {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: readonly WorkflowFile[];
  readonly warnings: ReadonlyMap<WorkflowName, readonly string[]>;
  readonly ledgerPath: string;
  readonly facts: Facts;
  /** The one that `facts` uses: it learns the tracker keys as workflows are loaded. */
  readonly redactor: Redactor;
  /** For tests of crashes; see failpoints.ts. */
  readonly failpoint?: Failpoint | undefined;
}

export interface Composed {
  readonly daemon: Daemon;
  /** Closes the ledger and lets go of it; the daemon must have stopped. Idempotent. @throws LedgerError, when closed all the same */
  readonly close: () => void;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Takes the lock, opens the ledger, builds the daemon; nothing runs yet. A ledger that is damaged or gone is replaced, which
 * is published as a warning. @throws LockHeld, LedgerError
 */
export function compose({
  version,
  env,
  files,
  warnings,
  ledgerPath,
  facts,
  redactor,
  failpoint,
}: Composition): Composed {
  const clock = realClock();
  const keys = new Set<string>();
  const gateOf = rateGates(clock.now);
  const lock = takeLock(join(dirname(ledgerPath), "lock.db"), {
    pid: process.pid,
    since: new Date(clock.now()).toISOString(),
    workflows: files.map((file) => file.path),
  });
  failpoint?.("start: lock taken");
  const rescues = rescueDirectory(dirname(ledgerPath));
  const disk = new DiskSpace({ now: () => performance.now() });
  const warn = (message: string): void => facts.publish({ type: "warning", message, at: clock.now() });
  const { ledger, warning } = openWholeLedger(ledgerPath, {
    installation: lock.installation,
    now: clock.now,
    redact: (value) => redactor.deep(value),
    onTrouble: ({ message, hint }) => warn(`${message}. ${hint}`),
  });
  lock.remember(ledger.load().installation);
  // The ledger has it already.
  if (warning !== null) warn(warning);
  failpoint?.("start: ledger opened");
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
    makeTracker: ({ settings }, news) =>
      createLinearTracker(settings.tracker, news, clock.now, { gate: gateOf(settings.tracker) }),
    toolsFor: (tracker, { mark, publish, record }) => [
      linearGraphqlTool(tracker, { started: record, called: publish }, { mark }),
    ],
    agent: createCodexAgent({ clock: clock.now, env, version }),
    survey: (path) => fingerprint(path, rescues),
    workspaces: createDiskWorkspaces(
      { run: bashHooks({ environment: env, secrets: () => [...keys] }), now: () => performance.now() },
      createRescuer({ directory: rescues, now: clock.now }),
    ),
    failpoint,
    diskLow: async (settings) => diskVerdict(await disk.look(settings), settings),
    tidy: async () => {
      const settings = files.map((file) => file.current().settings);
      // Nothing goes before the last workflow allows it.
      const eventDays = Math.max(...settings.map(({ ledger: { retentionDays } }) => retentionDays));
      const tended = await tendLedger(ledger, after(clock.now(), -eventDays * DAY_MS));
      if (tended.warning !== null) warn(tended.warning);
      const rescueDays = Math.max(...settings.map(({ rescue }) => rescue.retentionDays));
      await pruneRescues(rescues, rescueDays, clock.now());
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
