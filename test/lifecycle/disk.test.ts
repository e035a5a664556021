import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listRescues } from "../../src/workspace/rescue/rescues.ts";
import { commits, ends, moves } from "./agent-steps.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await rig.close();
});

const ticket = (title: string) => rig.board.store.add({ title, labels: ["baton"], state: "Todo" }).identifier;

test("work that nobody pushed is kept when the workspace of a finished ticket is removed", async () => {
  rig.write();
  const name = ticket("Unpushed");
  rig.rig.plays(`Work on ${name} `, [commits("work.txt"), moves(rig.board, "Done"), ends("done")]);
  const daemon = await rig.start();
  await daemon.said("workspace_removed", of(name));
  expect(await daemon.said("workspace_rescued", of(name))).toMatchObject({ commits: 1 });
  expect(await listRescues(join(rig.workflow, "..", ".baton", "rescue"))).toHaveLength(1);
  await daemon.stop();
});

test("on a disk without the room that was asked for nothing starts, and it starts when there is", async () => {
  rig.write({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const name = ticket("Waits for room");
  rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  const daemon = await rig.start();
  await daemon.said("disk_low");
  await daemon.said("polled", (line) => line["candidates"] === 1);
  expect(daemon.lines.some((line) => line["fact"] === "claimed")).toBe(false);
  rig.write();
  await daemon.said("disk_ok");
  await daemon.said("released", of(name));
  await daemon.stop();
});
