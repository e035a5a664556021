/** Two daemons, each with a ledger of its own, on the same tickets under one workspace root. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Daemon, DaemonRig, type Line, of } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(() => rig.close());

const isRefused = (line: Line): boolean =>
  String(line["msg"]).includes("another daemon works in the workspace");

/** On the same file but for the ledger. */
async function another(): Promise<Daemon> {
  const file = join(dirname(rig.workflow), "SAME.md");
  const text = readFileSync(rig.workflow, "utf8");
  writeFileSync(file, text.replace("---\n", "---\nledger: {path: ./second/ledger.db}\n"));
  const daemon = rig.launch({ program: [rig.program, "run", file, "--log-format", "json"] });
  await daemon.said("daemon_started");
  return daemon;
}

test("one works on the ticket, the other one is refused its workspace until the first has ended, and removes nothing of it", async () => {
  const retry = "max_retry_backoff_ms: 1000";
  rig.write({ command: light, prompt: "{{ issue.description }}", afterCreate: "touch mine", agent: retry });
  const row = { title: "T", description: "hold", labels: ["baton"], state: "Todo" };
  const [held, done] = [rig.board.store.add(row).identifier, rig.board.store.add(row).identifier];
  const first = await rig.start();
  for (const name of [held, done]) await first.said("turn_started", of(name));
  const second = await another();
  const refusal = await second.until(
    () => second.lines.find((line) => of(held, isRefused)(line)),
    "the refusal",
  );
  expect(JSON.stringify(refusal)).toContain(`the one on the ledger ${rig.ledgerPath}`);
  rig.board.store.move(done, "Done");
  await first.said("workspace_removed", of(done));
  expect(existsSync(join(rig.workspace(held), "mine"))).toBe(true);
  const began = second.lines.filter((line) => line["fact"] === "turn_started");
  expect([began, second.lines.filter((line) => line["fact"] === "workspace_removed")]).toEqual([[], []]);
  expect(await first.stop()).toBe(0);
  await second.said("turn_started", of(held));
  expect(await second.stop()).toBe(0);
});
