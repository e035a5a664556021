/**
 * The disk is full, under the ledger, under the workspaces, under the log. What was acknowledged stays, what cannot
 * be written is refused as such, reading goes on, and with room again everything goes on by itself. On disks in memory;
 * where none may be mounted (`mounted` 0), the database is kept from growing instead, the log goes to /dev/full, and the
 * workspaces' part cannot be tried.
 */
import { fileURLToPath } from "node:url";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { mayMount, onSmallDisk } from "../small-disk.ts";
import type { Suite } from "../suite.ts";

const ledgerFiller = fileURLToPath(new URL("filler-ledger.ts", import.meta.url));
const logFiller = fileURLToPath(new URL("filler-log.ts", import.meta.url));
const workFiller = fileURLToPath(new URL("filler-workspaces.ts", import.meta.url));

/** For the schema, the logs of SQLite and the first run, and to go on with; each round has its own room besides. */
const LEDGER_BYTES = 8 * 1024 * 1024;
const ROOM_BYTES = 256 * 1024;
const SMALL_BYTES = 1024 * 1024;
const FILES = 200;

export const fullDisk: Suite = {
  name: "F5",
  promise: "a full disk loses nothing, refuses what it cannot take, and is over when there is room",
  rounds: { test: 6, ci: 15, release: 150 },
  run,
  judge: (figures) => {
    const { rounds = 0, mounted = 0 } = figures;
    return all(
      atLeast({ rounds: 1, ledgerAcknowledged: 3 * rounds, ledgerRefused: 4 * rounds }),
      none("ledgerLost", "ledgerWrong", "ledgerUnread", "ledgerStuck", "ledgerFactsLost"),
      atLeast({ logMissed: rounds, logWritten: rounds }),
      none("logThrown", "logUnheard", "logUnsaid", "logStuck"),
      // The line at which the disk was full is cut.
      atMost({ logTorn: rounds }),
      mounted === 0 ? () => [] : atLeast({ workRefused: 2 * rounds, workMade: rounds, workRemoved: rounds }),
      mounted === 0 ? () => [] : none("workOtherwise", "workHalf", "workUnsaid", "workStuck"),
    )(figures);
  },
};

async function run(rounds: number): Promise<Figures> {
  const mounted = await mayMount();
  const ledgerDisk = { bytes: LEDGER_BYTES + rounds * ROOM_BYTES, files: FILES };
  const smallDisk = { bytes: SMALL_BYTES, files: FILES };
  const count = String(rounds);
  return {
    rounds,
    mounted: mounted ? 1 : 0,
    ...(await onSmallDisk(ledgerFiller, ledgerDisk, mounted, [count])),
    ...(await onSmallDisk(logFiller, smallDisk, mounted, [count])),
    ...(mounted ? await onSmallDisk(workFiller, smallDisk, mounted, [count]) : {}),
  };
}
