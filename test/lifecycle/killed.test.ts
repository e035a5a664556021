/** What people are told of a daemon that was killed: by `baton show` while it is gone, and by the log of the next start. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { baton } from "./cli-child.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(() => rig.close());

const show = async (name: string): Promise<string> =>
  (await baton(["show", name, "--offline"], { cwd: dirname(rig.workflow) })).out;

test("a command in progress is shown with its age, and after a kill nothing is under way", async () => {
  rig.write({ command: light, prompt: "{{ issue.description }}", afterCreate: "true" });
  const description = "open:npm test\nhold";
  const { identifier } = rig.board.store.add({ title: "T", description, labels: ["baton"], state: "Todo" });
  const daemon = await rig.start();
  await daemon.said("turn_started", of(identifier));
  await eventually(async () => expect(await show(identifier)).toMatch(/\ndoing {5}\$ npm test, for \d/));
  await daemon.kill();
  const page = await show(identifier);
  expect(page).not.toContain("doing");
  expect(page).toContain("when Baton's process ended");
});

test("the start after a kill says which runs were cut short, and why they run again", async () => {
  rig.write({ command: light, prompt: "{{ issue.description }}", afterCreate: "true" });
  const ticket = (): string =>
    rig.board.store.add({ title: "T", description: "hold", labels: ["baton"], state: "Todo" }).identifier;
  const names = [ticket(), ticket()];
  const daemon = await rig.start();
  for (const name of names) await daemon.said("turn_started", of(name));
  await daemon.kill();
  const again = await rig.start();
  const lost = await again.said("runs_lost");
  expect(lost["msg"]).toBe(
    `2 runs were cut short when Baton's last process ended; their issues are taken up again: ${names.join(", ")}`,
  );
  const claimed = await again.said("claimed", of(names[0] ?? ""));
  expect(claimed["msg"]).toContain("another run, the last one was cut short when Baton ended");
  expect(await again.stop()).toBe(0);
  const clean = await rig.start();
  await clean.said("claimed", of(names[0] ?? ""));
  expect(clean.lines.filter((line) => line["fact"] === "runs_lost")).toEqual([]);
  await clean.stop();
});

test("the time until somebody starts it again is no work of the run that was cut short", async () => {
  rig.write({ command: light, prompt: "{{ issue.description }}", afterCreate: "true" });
  const row = { title: "T", description: "hold", labels: ["baton"], state: "Todo" };
  const { identifier } = rig.board.store.add(row);
  const daemon = await rig.start();
  await daemon.said("turn_started", of(identifier));
  const runs = async (): Promise<string> => (await baton(["runs"], { cwd: dirname(rig.workflow) })).out;
  await eventually(async () => expect(await runs()).toMatch(/ running /));
  await daemon.kill();
  const killedAt = Date.now();
  expect(await runs()).toMatch(/ cut short /);
  expect(await show(identifier)).toMatch(/: cut short, .* until the last sign of life/);
  const again = await rig.start();
  const [lost] = rig.ledger((ledger) => ledger.runs({ limit: 5, outcome: "lost" }));
  expect(lost?.endedAt).toBeGreaterThan(lost?.startedAt ?? 0);
  expect(lost?.endedAt).toBeLessThanOrEqual(killedAt);
  await again.stop();
});

test("a service that a hook left is not called the leftover of a kill when it is ended", async () => {
  rig.write({
    command: light,
    prompt: "{{ issue.description }}",
    afterCreate: "setsid sleep 307 >/dev/null 2>&1 < /dev/null &",
  });
  const { identifier } = rig.board.store.add({
    title: "T",
    description: "hold",
    labels: ["baton"],
    state: "Todo",
  });
  const daemon = await rig.start();
  await daemon.said("turn_started", of(identifier));
  expect(await daemon.stop()).toBe(0);
  const again = await rig.start();
  const ended = await again.said("survivors_ended");
  expect(ended["msg"]).toMatch(/^ended 1 process that earlier runs had left running: /);
  expect(ended["msg"]).not.toContain("killed");
  await again.stop();
});
