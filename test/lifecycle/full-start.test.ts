/** A start on a disk that is full already. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fillDisk } from "../faults/fill-disk.ts";
import { Daemon, DaemonRig, of } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;
const mayMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

let rig: DaemonRig;
const started: Daemon[] = [];
beforeEach(async () => {
  rig = await DaemonRig.open();
  rig.write({ command: light, prompt: "{{ issue.description }}", afterCreate: "true" });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((daemon) => daemon.kill()));
  await rig.close();
});

/** Copies what an earlier daemon left to a small disk, fills that to its last byte, and starts the program on it. */
function startOnFullDisk(left: string | null): Daemon {
  const state = join(dirname(rig.workflow), ".baton");
  const seed = join(dirname(rig.workflow), "seed");
  if (left === null) mkdirSync(seed);
  else {
    cpSync(left, seed, { recursive: true });
    rmSync(left, { recursive: true });
  }
  mkdirSync(state, { recursive: true });
  const fill =
    'mount -t tmpfs -o size=16m tmpfs "$0" && cp -a "$1/." "$0/" && dd if=/dev/zero of="$0/ballast" bs=4096 2>/dev/null; shift; exec "$@"';
  const program = [process.execPath, rig.program, "run", rig.workflow, "--log-format", "json"];
  const child = spawn("unshare", ["-rm", "sh", "-c", fill, state, seed, ...program], {
    env: { ...rig.rig.env, LINEAR_API_KEY: rig.board.apiKey },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const daemon = new Daemon(child);
  started.push(daemon);
  return daemon;
}

/** The state of a daemon that was killed under a run. */
async function cutShort(): Promise<string> {
  const { identifier } = rig.board.store.add({
    title: "T",
    description: "hold",
    labels: ["baton"],
    state: "Todo",
  });
  const daemon = await rig.start();
  await daemon.said("turn_started", of(identifier));
  await daemon.kill();
  return dirname(rig.ledgerPath);
}

const isTrace = (line: string): boolean => /^\s+at /.test(line);
const isStuck = (line: Readonly<Record<string, unknown>>): boolean =>
  String(line["msg"]).includes("nothing is begun until the ledger can be written");

test.skipIf(!mayMount)(
  "a start that has something to write waits for room, says so once, and ends at a SIGTERM with 0",
  async () => {
    const daemon = startOnFullDisk(await cutShort());
    await daemon.said("warning", isStuck);
    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines.filter(isStuck)).toHaveLength(1);
    expect(daemon.noise.filter(isTrace)).toEqual([]);
  },
);

test.skipIf(!mayMount)("a start that waits for room goes on by itself when there is some", async () => {
  const daemon = startOnFullDisk(await cutShort());
  await daemon.said("warning", isStuck);
  rmSync(`/proc/${daemon.child.pid}/root${join(dirname(rig.workflow), ".baton", "ballast")}`);
  await daemon.said("daemon_started");
  await daemon.said("turn_started");
  expect(await daemon.stop()).toBe(0);
});

test.skipIf(!mayMount)(
  "who asks a daemon to stop that no longer can write gets words, and no trace",
  async () => {
    const daemon = startOnFullDisk(await cutShort());
    await daemon.said("warning", isStuck);
    const ballast = `/proc/${daemon.child.pid}/root${join(dirname(rig.workflow), ".baton", "ballast")}`;
    rmSync(ballast);
    await daemon.said("turn_started");
    fillDisk(ballast);
    expect(await daemon.stop()).toBe(1);
    expect(daemon.noise.join("\n")).toContain("stopped as it was asked to");
    expect(daemon.noise.join("\n")).not.toContain("not safe to go on");
    expect(daemon.noise.filter(isTrace)).toEqual([]);
    expect(daemon.noise.join("\n")).toMatch(/free some space/);
  },
);

test.skipIf(!mayMount)(
  "a start on a ledger that was closed well ends on a full disk with what to do",
  async () => {
    const before = await rig.start();
    await before.stop();
    const daemon = startOnFullDisk(dirname(rig.ledgerPath));
    expect(await daemon.exit).toBe(1);
    expect(daemon.noise.filter(isTrace)).toEqual([]);
    expect(daemon.noise.join("\n")).toMatch(/free some space/);
  },
);

test.skipIf(!mayMount)(
  "a start without a ledger on a full disk ends with a plain message that says what to do",
  async () => {
    const daemon = startOnFullDisk(null);
    expect(await daemon.exit).toBe(1);
    expect(daemon.noise.filter(isTrace)).toEqual([]);
    expect(daemon.noise.join("\n")).toMatch(/free some space/);
  },
);
