import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, shell } from "../../src/demo/model/model.ts";
import { git } from "../contract/codex-rig.ts";
import { eventually } from "../eventually.ts";
import { commits, ends, moves, thinksUntil } from "./agent-steps.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await rig.close();
});

const ticket = (title: string, more: object = {}) =>
  rig.board.store.add({ title, labels: ["baton"], state: "Todo", ...more }).identifier;

test("several tickets are worked on at once, each in its own repository, over several turns, until they are done", async () => {
  rig.write({ agents: 3 });
  const names = [1, 2, 3, 4, 5].map((n) => ticket(`Ticket ${n}`));
  const { board } = rig;
  for (const name of names) {
    rig.rig.plays(
      `Work on ${name} `,
      [moves(board, "In Progress"), ends("half")],
      [commits("work.txt"), moves(board, "Done"), ends("all done")],
    );
  }
  const other = ticket("Not ours", { labels: ["something else"] });
  const daemon = await rig.start();
  await Promise.all(names.map((name) => daemon.said("workspace_removed", of(name))));
  expect(await daemon.stop()).toBe(0);

  const runs = rig.ledger((ledger) => ledger.runs({ limit: 100 }));
  expect(
    runs.map(({ identifier, ending, turns }) => `${identifier} ${ending?.outcome} ${turns}`).sort(),
  ).toEqual(names.map((name) => `${name} completed 2`));
  expect(new Set(runs.map(({ thread }) => thread)).size).toBe(names.length);
  expect(runs.every(({ tokens }) => tokens.total > 0)).toBe(true);
  expect(daemon.lines.some(of(other))).toBe(false);
  // Done is terminal: the workspaces are gone with the work.
  expect(names.filter((name) => existsSync(rig.workspace(name)))).toEqual([]);
});

test("never more runs at once than slots, and a freed slot is taken", async () => {
  rig.write({ agents: 2 });
  const names = [1, 2, 3, 4].map((n) => ticket(`Ticket ${n}`));
  for (const name of names) rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  const daemon = await rig.start();
  await Promise.all(names.map((name) => daemon.said("run_ended", of(name))));
  let running = 0;
  let most = 0;
  for (const { fact } of daemon.lines) {
    if (fact === "claimed") running += 1;
    if (fact === "run_ended") running -= 1;
    most = Math.max(most, running);
  }
  expect(most).toBe(2);
  await daemon.stop();
});

test("the workspace of an issue that leaves the active states is kept, with its commits", async () => {
  rig.write();
  const name = ticket("Review me");
  rig.rig.plays(`Work on ${name} `, [
    commits("work.txt"),
    moves(rig.board, "Human Review"),
    ends("please review"),
  ]);
  const daemon = await rig.start();
  await daemon.said("released", of(name));
  expect(git(rig.workspace(name), "log", "--format=%s")).toBe("Add work.txt");
  await daemon.stop();
});

test("WORKFLOW.md is reloaded while running: a broken save keeps the old settings, a mended one counts for new runs", async () => {
  rig.write();
  const daemon = await rig.start();
  const [first] = [ticket("Before")];
  rig.rig.plays("Work on", [moves(rig.board, "Done"), ends("done")]);
  rig.rig.plays("Second version", [moves(rig.board, "Done"), ends("done")]);
  await daemon.said("released", of(first ?? ""));
  rig.write({ extra: "agent: [" });
  await daemon.said("workflow_rejected");
  rig.write({ prompt: "Second version {{ issue.id }}." });
  const loaded = await daemon.said(
    "workflow_loaded",
    (line) => line !== daemon.lines.find((l) => l["fact"] === "workflow_loaded"),
  );
  const second = ticket("After");
  await daemon.said("released", of(second));
  const [newest] = rig.ledger((ledger) => ledger.runs({ issue: second, limit: 1 }));
  expect(newest?.workflowHash).toBe(loaded["hash"]);
  expect(rig.rig.model.requests.some(({ prompts }) => prompts[0]?.includes("Second version"))).toBe(true);
  await daemon.stop();
});

test("an issue that somebody closes is stopped and its workspace removed; one that loses its label keeps it", async () => {
  rig.write();
  const [closed, unlabelled] = [ticket("Closed by hand"), ticket("Label taken off")];
  const never = gate();
  for (const name of [closed, unlabelled]) rig.rig.plays(`Work on ${name} `, [thinksUntil(never, "late")]);
  const daemon = await rig.start();
  await Promise.all([closed, unlabelled].map((name) => daemon.said("turn_started", of(name))));
  rig.board.store.move(closed, "Canceled");
  rig.board.store.unlabel(unlabelled, "baton");
  await daemon.said("workspace_removed", of(closed));
  await daemon.said("released", of(unlabelled));
  const ending = (name: string) => rig.ledger((ledger) => ledger.runs({ issue: name, limit: 1 }))[0]?.ending;
  for (const name of [closed, unlabelled]) {
    expect(ending(name)).toMatchObject({ outcome: "canceled", failure: { kind: "no_longer_eligible" } });
  }
  expect(existsSync(rig.workspace(closed))).toBe(false);
  expect(existsSync(rig.workspace(unlabelled))).toBe(true);
  never.open();
  await daemon.stop();
});

test("SIGTERM in the middle of a turn leaves no process and no open row, and the next start resumes the thread", async () => {
  rig.write();
  const name = ticket("Interrupted");
  const wait = gate();
  rig.rig.plays(
    `Work on ${name} `,
    [[shell("sleep 300", { waitMs: 60_000 })], thinksUntil(wait, "first")],
    [moves(rig.board, "Done"), ends("done")],
  );
  const daemon = await rig.start();
  await eventually(
    () => expect(rig.rig.processes().some(({ command }) => command.includes("sleep"))).toBe(true),
    20_000,
  );
  expect(await daemon.stop()).toBe(0);
  expect(rig.rig.processes()).toEqual([]);
  const [stopped] = rig.ledger((ledger) => ledger.runs({ limit: 1 }));
  expect(stopped?.ending?.outcome).toBe("interrupted");
  wait.open();
  const again = await rig.start();
  await again.said("released", of(name));
  const [resumed] = rig.ledger((ledger) => ledger.runs({ limit: 1 }));
  expect(resumed).toMatchObject({
    thread: stopped?.thread,
    kind: "continuation",
    ending: { outcome: "completed" },
  });
  expect(await again.stop()).toBe(0);
});
