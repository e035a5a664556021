import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { Ground } from "../faults/daemon/ground.ts";

let ground: Ground;
beforeEach(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.end());

/** Nothing is left of the run but its record, and the next start goes on with it. */
const expectInterrupted = (): void => {
  expect(ground.witness.alive()).toEqual([]);
  const { runs, claims } = ground.rig.ledger((ledger) => ({
    runs: ledger.runs({ limit: 5 }).map(({ ending }) => [ending?.outcome, ending?.failure?.kind]),
    claims: ledger.load().claims,
  }));
  expect(runs).toEqual([["interrupted", "shutdown"]]);
  expect(claims).toMatchObject([{ phase: "waiting", kind: "continuation" }]);
};

test("a second SIGTERM does not wait: an agent that takes no signal is killed, its run recorded, and the code is 0", async () => {
  ground.write({}, "stubborn");
  ground.ticket("work:60000");
  const daemon = ground.baton();
  await daemon.said("turn_started");
  daemon.child.kill("SIGTERM");
  await daemon.said("daemon_stopping");
  // Within a moment of the first it would be the same one, heard twice.
  const again = setInterval(() => daemon.child.kill("SIGTERM"), 400);
  const code = await daemon.exit;
  clearInterval(again);
  expect(code).toBe(0);
  expectInterrupted();
});

test("an agent that outlasts the grace is killed, its run recorded, and the code is 0", async () => {
  ground.write({ extra: "shutdown: {grace_ms: 50}" }, "stubborn");
  ground.ticket("stray\nwork:60000");
  const daemon = ground.baton();
  await daemon.said("turn_started");
  expect(await daemon.stop()).toBe(0);
  expectInterrupted();
});

test("a terminal that is closed, told of twice, is an orderly stop that the log names", async () => {
  ground.write({}, "stubborn");
  ground.ticket("work:60000");
  const daemon = ground.baton();
  await daemon.said("turn_started");
  daemon.child.kill("SIGHUP");
  const { msg } = await daemon.said("daemon_stopping");
  expect(msg).toContain("the terminal was closed");
  daemon.child.kill("SIGHUP");
  expect(await daemon.exit).toBe(0);
  expectInterrupted();
});

test("asked to stop while it ends what another left behind, a daemon does not begin", async () => {
  ground.write({}, "stubborn");
  ground.ticket("work:60000");
  const killed = ground.baton();
  await killed.said("turn_started");
  await killed.kill();
  const daemon = ground.baton();
  await eventually(() => expect(ground.witness.askedStubborn()).toBe(true), 20_000);
  expect(await daemon.stop()).toBe(0);
  expect(daemon.lines.map(({ fact }) => fact)).not.toContain("daemon_started");
  expect(ground.witness.alive()).toEqual([]);
  // Whoever comes next finds it as the first one left it.
  expect(ground.witness.openRuns()).toBe(1);
});

test("an error that nobody caught ends the daemon with 1 and a word about it, and its agents with it", async () => {
  ground.ticket("stray\nwork:60000");
  const daemon = ground.mortal();
  await daemon.said("turn_started");
  daemon.child.send({ throw: "nobody was prepared for this" });
  expect(await daemon.exit).toBe(1);
  await eventually(() =>
    expect(daemon.noise.join("\n")).toContain("Start it again: it goes on from the ledger."),
  );
  expect(daemon.noise.join("\n")).toContain("nobody was prepared for this");
  expect(ground.witness.alive()).toEqual([]);
  // The next start finds the run as it was, and goes on with its thread.
  expect(ground.witness.openRuns()).toBe(1);
});
