/** `baton status` as a health check of a real daemon: one that lives, one that is stopped, one that is gone. */
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { baton, type Ended } from "./cli-child.ts";
import { DaemonRig } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(() => rig.close());

const status = (): Promise<Ended> => baton(["status"], { cwd: dirname(rig.workflow) });

/** Longer than the silence that counts as none. */
const SILENCE_MS = 40_000;

test("a stopped daemon (SIGSTOP) is told from a live one, and one that goes on serves again", async () => {
  rig.write();
  const daemon = await rig.start();
  await daemon.said("scan_changed");
  await eventually(async () => {
    const live = await status();
    expect(live.code).toBe(0);
    expect(live.out).toMatch(/WORKFLOW scanned .+: 0 open, 0 labelled|scanned .+: 0 labelled/);
  });
  daemon.child.kill("SIGSTOP");
  await eventually(async () => {
    const stopped = await status();
    expect(stopped.code).toBe(1);
    expect(stopped.out).toContain(`process ${daemon.child.pid} is stopped or hangs`);
  }, SILENCE_MS);
  daemon.child.kill("SIGCONT");
  await eventually(async () => expect((await status()).code).toBe(0));
  await daemon.kill();
  const gone = await status();
  expect(gone.code).toBe(1);
  expect(gone.out).toContain("No daemon is running. The last one was killed or ended by an error");
}, 90_000);

test("a daemon whose file was broken serves, and is degraded until it is mended", async () => {
  rig.write();
  const daemon = await rig.start();
  rig.write({ extra: "agent: 7" });
  await daemon.said("workflow_rejected");
  await eventually(async () => {
    const degraded = await status();
    expect(degraded.code).toBe(2);
    expect(degraded.out).toContain("starts nothing new, its file cannot be used");
  });
  rig.write();
  await eventually(async () => {
    const mended = await status();
    expect(mended.code).toBe(0);
    expect(mended.out).not.toContain("cannot be used");
  });
  await daemon.stop();
  const ended = await status();
  expect(ended.out).toMatch(/No daemon is running\. The last one was\s+stopped \(SIGTERM\)/);
  expect(ended.out).not.toContain("cannot be used");
}, 60_000);
