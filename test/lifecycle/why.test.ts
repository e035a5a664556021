/** `baton show` of any ticket: asked of the real program, which asks a board. */
import { tmpdir } from "node:os";
import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { baton, type Ended } from "./cli-child.ts";
import { DaemonRig } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(() => rig.close());

const show = (name: string, more: readonly string[] = [], key = rig.board.apiKey): Promise<Ended> =>
  baton(["show", name, ...more], { cwd: dirname(rig.workflow), env: { LINEAR_API_KEY: key } });

test("a ticket that was never taken is found in the tracker and says which gate is shut, with and without a daemon", async () => {
  rig.write();
  const { identifier } = rig.board.store.add({ title: "Nobody labelled it" });
  const blocker = rig.board.store.add({ title: "First", state: "In Progress" });
  const blocked = rig.board.store.add({ title: "Second", labels: ["baton"] });
  rig.board.store.relate({ type: "blocks", issueId: blocker.id, relatedIssueId: blocked.id });
  const daemon = await rig.start();
  await daemon.said("scan_changed", (line) => line["blocked"] === 1);
  const unlabelled = await show(identifier);
  expect(unlabelled).toMatchObject({ code: 0, err: "" });
  expect(unlabelled.out).toContain('It does not start: it lacks the label "baton".');
  expect(unlabelled.out).toMatch(/yes +state +"Todo" is an active state/);
  expect(unlabelled.out).toMatch(/no +label +it lacks the label "baton"/);
  expect((await show(blocked.identifier)).out).toContain(`it is blocked by ${blocker.identifier}`);
  expect((await show("DEMO-999")).err).toContain("Nor does the tracker.");
  // From anywhere: the workflows are those of the daemon that has the ledger.
  const elsewhere = await baton(["show", blocked.identifier, "--ledger", rig.ledgerPath], {
    cwd: tmpdir(),
    env: { LINEAR_API_KEY: rig.board.apiKey },
  });
  expect(elsewhere.out).toContain(`it is blocked by ${blocker.identifier}`);
  await daemon.stop();
  const stopped = await show(blocked.identifier);
  expect(stopped.out).toContain("Also: Baton is stopped.");
}, 60_000);

test("without a key the ledger's part is shown, and what could not be asked is said", async () => {
  // A run that is under way for as long as this takes.
  rig.write({ afterCreate: "exec sleep 8" });
  rig.board.store.add({ title: "Work", labels: ["baton"] });
  const daemon = await rig.start();
  await daemon.said("claimed");
  await daemon.kill();
  const { code, out } = await show("DEMO-1", [], "");
  expect(code).toBe(0);
  expect(out).toContain("was running (r1) when Baton's process ended; the next start takes it up");
  expect(out).toMatch(/\? +visible +the tracker was not asked/);
  expect(out).toContain("LINEAR_API_KEY");
}, 60_000);

test("with a file that is broken, or gone, the tracker is asked by the last good one, and the gate of the file says what is wrong", async () => {
  rig.write();
  const { identifier } = rig.board.store.add({ title: "Nobody labelled it" });
  const daemon = await rig.start();
  await daemon.said("scan_changed");
  writeFileSync(rig.workflow, "---\ntracker: [\n---\nDo it.\n");
  await daemon.said("workflow_rejected");
  const served = await show(identifier);
  await daemon.stop();
  const stopped = await show(identifier);
  rmSync(rig.workflow);
  const gone = await show(identifier);
  for (const { code, out, err } of [served, stopped, gone]) {
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/no +label +it lacks the label "baton"/);
    expect(out).toMatch(/no +file +its WORKFLOW\.md cannot be used since the last change:/);
  }
  expect(stopped.out).toMatch(/WORKFLOW\.md:2:10:/);
  expect(gone.out).toContain("there is no such file");
}, 60_000);
