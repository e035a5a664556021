/** The disk of the ledger fills up under a daemon at work. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunRow } from "../../src/ledger/port.ts";
import { openLedgerReadOnly } from "../../src/ledger/sqlite.ts";
import { fillDisk } from "../faults/fill-disk.ts";
import { Daemon, DaemonRig, of } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;
const mayMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

let rig: DaemonRig;
const started: Daemon[] = [];
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((daemon) => daemon.kill()));
  await rig.close();
});

/** The daemon with its state on a small disk in memory, which it alone has mounted: room for a log of usual size. */
async function startOnSmallDisk(state: string): Promise<Daemon> {
  mkdirSync(state);
  const mount = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"';
  const program = [process.execPath, rig.program, "run", rig.workflow, "--log-format", "json"];
  const child = spawn("unshare", ["-rm", "sh", "-c", mount, state, ...program], {
    env: { ...rig.rig.env, LINEAR_API_KEY: rig.board.apiKey },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const daemon = new Daemon(child);
  started.push(daemon);
  await daemon.said("daemon_started");
  return daemon;
}

/** Asks the ledger on the daemon's disk, by way of a copy: also on a full disk it can be read. */
function runsOf({ child }: Daemon, ledgerPath: string): readonly RunRow[] {
  const copy = join(dirname(rig.workflow), `copy-${randomUUID()}.db`);
  const backup = [process.execPath, rig.program, "ledger", "backup", copy, "--ledger", ledgerPath];
  execFileSync("nsenter", ["-t", String(child.pid), "-U", "-m", "--preserve-credentials", ...backup]);
  const ledger = openLedgerReadOnly(copy);
  try {
    return ledger.runs({ limit: 100 });
  } finally {
    ledger.close();
  }
}

const ticket = (): string =>
  rig.board.store.add({ title: "T", description: "say:half done", labels: ["baton"], state: "Todo" })
    .identifier;

test.skipIf(!mayMount)(
  "nothing is begun that the full disk could not take down, and with room the daemon goes on by itself",
  async () => {
    rig.write({
      command: light,
      prompt: "{{ issue.description }}",
      maxTurns: 1,
      afterCreate: "true",
      extra: "limits: {max_runs_per_issue: 1}",
    });
    const state = join(dirname(rig.workflow), ".baton");
    const daemon = await startOnSmallDisk(state);
    // The disk as the daemon sees it.
    const seen = `/proc/${daemon.child.pid}/root${state}`;
    const runs = () => runsOf(daemon, join(state, "ledger.db"));
    fillDisk(join(seen, "ballast"));
    const tickets = Array.from({ length: 8 }, ticket);
    await daemon.said("warning", (line) => String(line["msg"]).includes("nothing is begun until"));
    const known = new Set(runs().map(({ identifier }) => identifier));
    expect(known.size).toBeLessThan(tickets.length);
    for (const name of tickets.filter((one) => !known.has(one)))
      expect([name, existsSync(rig.workspace(name))]).toEqual([name, false]);
    expect(daemon.child.exitCode).toBeNull();
    rmSync(join(seen, "ballast"));
    await Promise.all(tickets.map((name) => daemon.said("parked", of(name))));
    expect(runs().map(({ ending }) => ending?.outcome)).toEqual(tickets.map(() => "completed"));
    const claimed = daemon.lines.filter((line) => line["fact"] === "claimed").map((line) => line["run_id"]);
    expect(claimed).toHaveLength(tickets.length);
    expect(new Set(claimed)).toEqual(new Set(runs().map(({ id }) => id)));
    expect(await daemon.stop()).toBe(0);
  },
);
