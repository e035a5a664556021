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
