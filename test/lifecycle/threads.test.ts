/** What the agent is told by the real codex, over several runs: what the model sees is the proof. */
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { binary } from "../contract/codex-rig.ts";
import { commits, ends, moves } from "./agent-steps.ts";
import { DaemonRig, of } from "./daemon-rig.ts";

let rig: DaemonRig;
beforeEach(async () => {
  rig = await DaemonRig.open();
});
afterEach(async () => {
  await rig.close();
});

const ticket = (title: string) => rig.board.store.add({ title, labels: ["baton"], state: "Todo" });

/** All that was asked of the model on the thread of its last request. */
const lastPrompts = (): readonly string[] => rig.rig.model.requests.at(-1)?.prompts ?? [];

const PROMPT = "Work on {{ issue.identifier }} {{ issue.id }} in {{ issue.state }}: {{ issue.description }}";

test("a ticket that is given back is told so on the same thread, with the prompt as it is now", async () => {
  rig.write({ prompt: PROMPT });
  const { identifier: name, id } = ticket("Given back");
  rig.rig.plays(
    `Work on ${name} `,
    [moves(rig.board, "Human Review"), ends("please look")],
    [moves(rig.board, "Done"), ends("done")],
  );
  const daemon = await rig.start();
  await daemon.said("released", of(name));
  rig.board.store.edit(id, { description: "Make it blue." });
  rig.board.store.move(id, "In Progress");
  await daemon.said("workspace_removed", of(name));
  const [first = "", second = ""] = lastPrompts();
  expect(first).toMatch(/^Work on .* in Todo: /);
  expect(second).toMatch(
    /^Somebody has given .* in the state "Human Review" .* set to "In Progress" since\./,
  );
  expect(second).toMatch(/\n\nWork on .* in In Progress: Make it blue\.$/);
  const runs = rig.ledger((ledger) => ledger.runs({ issue: name, limit: 9 }));
  expect(runs.toReversed().flatMap((run) => rig.ledger((ledger) => ledger.told(run.id)))).toMatchObject([
    { turn: 1, text: first },
    { turn: 1, text: second },
  ]);
  expect(await daemon.stop()).toBe(0);
});

test("a thread whose rollout is gone is replaced by one that is told what was done", async () => {
  rig.write({ maxTurns: 1 });
  const { identifier: name } = ticket("Rollout gone");
  rig.rig.plays(`Work on ${name} `, [commits("half.txt"), ends("half of it is done")]);
  const daemon = await rig.start();
  await daemon.said("run_ended", of(name));
  expect(await daemon.stop()).toBe(0);
  for (const rollout of globSync("sessions/**/rollout-*.jsonl", { cwd: rig.rig.home }))
    rmSync(join(rig.rig.home, rollout));
  rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  const again = await rig.start();
  await again.said("workspace_removed", of(name));
  expectHandOver(name);
  expect(await again.stop()).toBe(0);
});

test("a thread that stays mute is given up after two runs, and its ticket is done on a new one", async () => {
  rig.write({
    maxTurns: 1,
    command: `sed -u '/"method":"thread.resume"/d' | ${binary} app-server`,
    agent: "max_retry_backoff_ms: 100",
    readTimeoutMs: 4_000,
  });
  const { identifier: name } = ticket("Mute");
  rig.rig.plays(`Work on ${name} `, [commits("half.txt"), ends("half of it is done")]);
  const daemon = await rig.start();
  await daemon.said("run_ended", of(name));
  rig.rig.plays(`Work on ${name} `, [moves(rig.board, "Done"), ends("done")]);
  await daemon.said("thread_given_up", of(name));
  await daemon.said("workspace_removed", of(name));
  expectHandOver(name);
  const runs = rig.ledger((ledger) => ledger.runs({ issue: name, limit: 9 }));
  expect(runs.map(({ ending }) => ending?.failure?.kind ?? ending?.outcome)).toEqual([
    "completed",
    "resume_failed",
    "resume_failed",
    "completed",
  ]);
  expect(await daemon.stop()).toBe(0);
});

/** The model was asked on a thread that begins with the prompt and what was done on the one before. */
function expectHandOver(name: string): void {
  const [only = "", ...rest] = lastPrompts();
  expect(rest).toEqual([]);
  expect(only).toMatch(new RegExp(`^Work on ${name} `));
  expect(only).toMatch(/\n\n## Hand-over\n\n/);
  expect(only).toContain(">   half of it is done");
  expect(only).toMatch(/\n> Git, the workspace: branch main, 1 commits that are on no remote, 0 files/);
}
