import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, shell } from "../../src/demo/model/model.ts";
import { eventually } from "../eventually.ts";
import { commits, ends, moves, thinksUntil } from "./agent-steps.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

const run = promisify(execFile);

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await rig.close();
});

const ticket = (title: string) => rig.board.store.add({ title, labels: ["baton"], state: "Todo" }).identifier;

/** `baton ...` on this rig's ledger, as a person would type it. */
const baton = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, [rig.program, ...args, "--workflow-file", rig.workflow], {
    env: rig.rig.env,
  });
  return stdout;
};

test("killed in the middle of a turn, the daemon goes on with the same thread, whose history the model sees once", async () => {
  rig.write();
  const name = ticket("Killed");
  const never = gate();
  rig.rig.plays(
    `Work on ${name} `,
    [commits("first.txt"), thinksUntil(never, "not said")],
    [moves(rig.board, "Human Review"), ends("done")],
  );
  const daemon = await rig.start();
  await rig.rig.model.asked(({ items }) => items.some((item) => item.type === "output"));
  await daemon.kill();
  const again = await rig.start();
  await eventually(() => expect(rig.rig.model.requests.at(-1)?.prompts.length).toBeGreaterThan(1), 20_000);
  never.open();
  await again.said("released", of(name));
  const runs = rig.ledger((ledger) => ledger.runs({ issue: name, limit: 10 }));
  expect(runs.map(({ ending, kind }) => [ending?.outcome, kind])).toEqual([
    ["completed", "continuation"],
    ["lost", "first"],
  ]);
  expect(new Set(runs.map(({ thread }) => thread)).size).toBe(1);
  const last = rig.rig.model.requests.at(-1);
  expect(last?.prompts.filter((prompt) => prompt.includes(`Work on ${name} `))).toHaveLength(1);
  expect(await again.stop()).toBe(0);
  expect(rig.rig.processes()).toEqual([]);
});

test("a pause outlives a kill, and nothing starts until somebody resumes", async () => {
  rig.write();
  const daemon = await rig.start();
  expect(await baton("pause", "--why", "release freeze")).toContain("everything is paused");
  await daemon.kill();
  const again = await rig.start();
  const name = ticket("Waits");
  rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  await again.said("polled", (line) => line["candidates"] === 1);
  expect(again.lines.some((line) => line["fact"] === "claimed")).toBe(false);
  expect(await baton("resume")).toContain("goes on");
  await again.said("released", of(name));
  await again.stop();
});

test("what a limit has parked stays parked over a restart, and a release lets it go on", async () => {
  rig.write({ maxTurns: 1, extra: "limits:\n  max_runs_per_issue: 1" });
  const name = ticket("Parked");
  rig.rig.plays(
    `Work on ${name} `,
    [commits("a.txt"), ends("half")],
    [moves(rig.board, "Done"), ends("done")],
  );
  const daemon = await rig.start();
  await daemon.said("parked", of(name));
  expect(await daemon.stop()).toBe(0);
  const again = await rig.start();
  await again.said("polled");
  await again.said("polled", (line) => line !== again.lines.find((one) => one["fact"] === "polled"));
  expect(again.lines.some(of(name, (line) => line["fact"] === "claimed"))).toBe(false);
  expect(await baton("release", name, "--add-runs", "2")).toContain(`${name} is released`);
  await again.said("workspace_removed", of(name));
  await again.stop();
});

test("a drain interrupts nothing, takes nothing new, and ends the daemon with code 0", async () => {
  rig.write();
  const name = ticket("Finishes its turn");
  const wait = gate();
  rig.rig.plays(`Work on ${name} `, [[shell("true")], thinksUntil(wait, "turn over")]);
  const daemon = await rig.start();
  await daemon.said("command_ran", of(name));
  expect(await baton("drain", "--why", "upgrade")).toContain("no new work");
  wait.open();
  expect(await daemon.exit).toBe(0);
  const [only] = rig.ledger((ledger) => ledger.runs({ limit: 5 }));
  expect(only?.ending?.outcome).toBe("completed");
});

test("a daemon that is stopped is no daemon that is gone: its orders are obeyed when it goes on, and it is named", async () => {
  rig.write();
  const daemon = await rig.start();
  await daemon.said("polled");
  daemon.child.kill("SIGSTOP");
  try {
    const answer = await baton("pause", "--why", "a look");
    expect(answer).toContain(`the daemon (process ${daemon.child.pid}) gives no sign of life`);
    expect(answer).toContain("obeyed when it goes on");
  } finally {
    daemon.child.kill("SIGCONT");
  }
  await daemon.said("paused");
  await daemon.stop();
});

test("a drain that is under way is not ordered again: the second says so and writes nothing down", async () => {
  rig.write();
  const name = ticket("Takes its time");
  const wait = gate();
  rig.rig.plays(`Work on ${name} `, [[shell("true")], thinksUntil(wait, "turn over")]);
  const daemon = await rig.start();
  await daemon.said("command_ran", of(name));
  await baton("drain");
  expect(await baton("drain", "--json")).toMatch(/"order":null.*is draining already/);
  wait.open();
  expect(await daemon.exit).toBe(0);
});

test("orders are checked: what nobody can have meant is refused, with exit code 1, and written down nowhere", async () => {
  rig.write();
  const daemon = await rig.start();
  const refused = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) as string });
  await expect(baton("pause", "--workflow", "typo")).rejects.toMatchObject(
    refused('no workflow is called "typo" here'),
  );
  await expect(baton("release", "LAB-999")).rejects.toMatchObject(
    refused("no ticket LAB-999 was ever taken here"),
  );
  await daemon.stop();
  await expect(baton("pause", "--workflow", "typo")).rejects.toMatchObject(
    refused('no workflow called "typo" is known here; there is "WORKFLOW"'),
  );
  expect(await baton("drain")).toContain("there is nothing to drain");
  const again = await rig.start();
  await again.said("polled");
  expect(await again.stop()).toBe(0);
  expect(again.lines.map(({ fact }) => fact)).not.toContain("draining");
});

test("a second daemon on the same ledger says who holds it and exits with 4", async () => {
  rig.write();
  const daemon = await rig.start();
  const second = run(process.execPath, [rig.program, "run", rig.workflow], {
    env: { ...rig.rig.env, LINEAR_API_KEY: "lin_api_other_key" },
  });
  await expect(second).rejects.toMatchObject({
    code: 4,
    stderr: expect.stringMatching(new RegExp(`held by process ${daemon.child.pid}, since .*WORKFLOW.md`)),
  });
  expect(await daemon.stop()).toBe(0);
});
