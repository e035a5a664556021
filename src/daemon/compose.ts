/** The real thing put together: Codex, Linear, the disk and SQLite around one daemon. Used by `run` and by the demo. */
import { dirname } from "node:path";
import { createCodexAgent, Fitness, knownFits } from "../agent/agent.ts";
import { after, DAY_MS, type WorkflowName } from "../domain/domain.ts";
import type { Facts, Redactor } from "../facts/facts.ts";
import {
  HeartbeatFile,
  heartbeatOf,
  isServedAs,
  ledgerFile,
  openWholeLedger,
  stillThere,
  takenAway,
  takeLock,
  tendLedger,
} from "../ledger/ledger.ts";
import { trackerOpener } from "../tracker/tracker.ts";
import { nobodyToAsk, type WorkflowFile } from "../workflow/workflow.ts";
import {
  bashHooks,
  createDiskWorkspaces,
  createRescuer,
  DiskSpace,
  diskVerdict,
  fingerprint,
  pruneRescues,
  rescueDirectory,
  workIn,
} from "../workspace/workspace.ts";
import { beatOf } from "./beat.ts";
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

/**
 * Takes the lock, opens the ledger, builds the daemon; nothing runs yet. A ledger that is damaged or gone is replaced, which
 * is published as a warning. @throws LockHeld, LedgerError
 */
export function compose({
  version,
  env,
  files,
  warnings,
  ledgerPath: named,
  facts,
  redactor,
  failpoint,
}: Composition): Composed {
  const clock = realClock();
  const keys = new Set<string>();
  const openTracker = trackerOpener(clock.now);
  const codex = createCodexAgent({ clock: clock.now, env, version });
  // A link to it: its log and its lock are beside the file itself.
  const ledgerPath = ledgerFile(named);
  const lock = takeLock(ledgerPath, {
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
  lock.remember(ledger.installation());
  // The ledger has it already.
  if (warning !== null) warn(warning);
  failpoint?.("start: ledger opened");
  const fitness = new Fitness({
    env,
    secrets: () => [...keys],
    // By it what a killed daemon leaves of it is found.
    mark: `${ledger.installation()}.codex`,
    known: knownFits(`${ledgerPath}.codex`),
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
    makeTracker: ({ settings }, news) => openTracker(settings.tracker, news),
    agent: {
      // The key of another workflow is as secret as its own.
      start: (spec, report) => codex.start({ ...spec, secrets: [...keys, ...spec.secrets] }, report),
    },
    survey: (path) => fingerprint(path, rescues),
    work: (path) => workIn(path, rescues),
    workspaces: createDiskWorkspaces(
      { run: bashHooks({ environment: env, secrets: () => [...keys] }), now: () => performance.now() },
      createRescuer({ directory: rescues, now: clock.now }),
      {
        self: { installation: ledger.installation(), ledger: ledgerPath },
        isServed: (tenant) => isServedAs(tenant.ledger, tenant.installation),
      },
    ),
    lastHeartbeat: heartbeatOf(ledgerPath),
    failpoint,
    fit: (codex, signal) => fitness.look(codex, signal),
    diskLow: async (settings) => diskVerdict(await disk.look(settings), settings),
    tidy: async () => {
      const settings = files.map((file) => file.current().settings);
      // Nothing goes before the last workflow allows it.
      const eventDays = Math.max(...settings.map(({ ledger: { retentionDays } }) => retentionDays));
      const tended = await tendLedger(ledger, after(clock.now(), -eventDays * DAY_MS));
      for (const warning of tended.warnings) warn(warning);
      const rescueDays = Math.max(...settings.map(({ rescue }) => rescue.retentionDays));
      await pruneRescues(rescues, rescueDays, clock.now());
    },
  });
  const known = () =>
    files.map((file) => {
      const { name, policy } = file.current().settings;
      return [name, { path: file.path, unanswered: nobodyToAsk(policy) }] as const;
    });
  const isThere = stillThere(ledgerPath);
  let isLost = false;
  // Its name is looked at with each beat: what is written into a file that nobody finds again is not remembered.
  const look = (): void => {
    if (isLost || isThere()) return;
    isLost = true;
    const error = takenAway(ledgerPath);
    warn(`${error.message}. ${error.hint}`);
    daemon.fail(error);
  };
  const heartbeat = new HeartbeatFile(ledgerPath, () => {
    look();
    return redactor.deep(
      beatOf(daemon.state, clock.now(), daemon.stuck, new Map(known()), process.pid, daemon.underWay),
    );
  });
  heartbeat.start();
  return {
    daemon,
    close: () => {
      heartbeat.stop();
      try {
        // SQLite closes by name: it would take the log of whatever is in its place now.
        if (!isLost) ledger.close();
      } finally {
        lock.release();
      }
    },
  };
}
