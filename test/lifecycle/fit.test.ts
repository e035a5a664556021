/** A Codex that lacks what is needed, under the built program: nothing starts on it, and what takes its place goes on. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { binary } from "../contract/codex-rig.ts";
import { eventually } from "../eventually.ts";
import { putFakeCodex } from "../fixtures/fake-codex.ts";
import { ends, moves } from "./agent-steps.ts";
import { baton } from "./cli-child.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(() => rig.close());

/** It is looked at again after half a minute. */
const AGAIN_MS = 60_000;

test("a codex that lacks turn/start.input holds its workflow by name, and one that has it goes on by itself", async () => {
  const codex = join(dirname(rig.workflow), "codex");
  putFakeCodex(codex, { lacks: ["turn/start", "input"] });
  rig.write({ command: `${codex} app-server`, prompt: "Work on {{ issue.identifier }} {{ issue.id }}." });
  const { identifier: name } = rig.board.store.add({ title: "One", labels: ["baton"], state: "Todo" });
  rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  const daemon = await rig.start();
  const held = await daemon.said("held");
  expect(held["msg"]).toContain(
    "Codex 0.201.0 lacks what Baton needs of it: the field input of the request turn/start",
  );
  const cwd = dirname(rig.workflow);
  await eventually(async () => {
    const status = await baton(["status"], { cwd });
    expect(status.code).toBe(2);
    expect(status.out.replace(/\s+/g, " ")).toMatch(
      /held: \S+ until Codex has it, .*the field input of the request turn\/start\. What to do: Install the release/,
    );
  });
  const show = await baton(["show", name], { cwd, env: { LINEAR_API_KEY: rig.board.apiKey } });
  expect(show.out.replace(/\s+/g, " ")).toContain("the field input of the request turn/start");
  const doctor = await baton(["doctor", rig.workflow], { cwd, env: { LINEAR_API_KEY: rig.board.apiKey } });
  expect(doctor.out.replace(/\s+/g, " ")).toMatch(/fail codex needs Codex 0\.201\.0 lacks/);
  expect(daemon.lines.filter(({ fact }) => fact === "run_started")).toEqual([]);

  putFakeCodex(codex, { says: "codex-cli 0.202.0", serves: `exec '${binary}' "$@"` });
  await daemon.until(
    () => daemon.lines.find((line) => line["fact"] === "workspace_removed" && of(name)(line)),
    "the end of the ticket",
    AGAIN_MS,
  );
  expect(rig.state(name)).toBe("Done");
  // No run was spent on finding out.
  expect(rig.ledger((ledger) => ledger.runs({ issue: name, limit: 9 }))).toHaveLength(1);
  expect((await baton(["status"], { cwd })).code).toBe(0);
  expect(await daemon.stop()).toBe(0);
}, 120_000);

test("the schema of the real codex is generated once, and nothing of it is missing", async () => {
  rig.write();
  const daemon = await rig.start();
  const seen = await daemon.said("codex_examined");
  expect(seen["msg"]).toMatch(/^Codex \d+\.\d+\.\d+ has what is needed$/);
  expect(await daemon.stop()).toBe(0);
  const kept = `${rig.ledgerPath}.codex`;
  expect(existsSync(kept) && readFileSync(kept, "utf8")).toMatch(/"versions":\["\d+\.\d+\.\d+"\]/);
});

test("a program that is no codex is said once, and holds nothing", async () => {
  const codex = join(dirname(rig.workflow), "agent");
  putFakeCodex(codex, { says: "agent 7" });
  rig.write({ command: `${codex} app-server` });
  rig.board.store.add({ title: "One", labels: ["baton"], state: "Todo" });
  const daemon = await rig.start();
  // It serves nobody; but it is begun.
  await daemon.said("run_ended");
  expect(daemon.lines.filter(({ fact }) => fact === "codex_examined")).toMatchObject([{ level: "info" }]);
  expect(daemon.lines.some(({ fact }) => fact === "held")).toBe(false);
  expect(await daemon.stop()).toBe(0);
});
