/**
 * F2: the real daemon killed with SIGKILL at random moments, with agents and a tracker on loopback. What it said before a
 * kill must be in the ledger after it; no agent may outlive the next start; no issue may have two; and in the end all
 * tickets are done.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Daemon, Line } from "../lifecycle/daemon-rig.ts";
import { DaemonRig, of } from "../lifecycle/daemon-rig.ts";
import { generator } from "./random.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;

export interface KillFigures {
  readonly rounds: number;
  readonly runs: number;
  /** Things said in the log before a kill that the ledger does not know after it. */
  readonly lost: number;
  /** Issues with more than one agent at any look. */
  readonly doubled: number;
  /** Agents of earlier runs alive after a start. */
  readonly orphans: number;
  /** Tickets that were not done at the end. */
  readonly unfinished: number;
}

/** A daemon lives this long at most before it is killed; starting takes it about a third of a second. */
const LIFE_MAX_MS = 900;
const TICKETS = 6;

/** Kills `rounds` daemons, one after the other, on one ledger. The seed decides when. */
export async function kills(rounds: number, seed: number): Promise<KillFigures> {
  const random = generator(seed);
  const rig = await DaemonRig.open();
  try {
    rig.write({
      agents: 4,
      command: light,
      prompt: "{{ issue.description }}",
      maxTurns: 3,
      afterCreate: "true",
      extra: LIMITS,
    });
    const tickets = Array.from({ length: TICKETS }, (_, n) => ticket(rig, n));
    const figures = { rounds, runs: 0, lost: 0, doubled: 0, orphans: 0, unfinished: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const daemon = await rig.start();
      figures.orphans += orphans(rig, daemon);
      // Not a wait for anything: the moment of the kill is the point.
      await sleep(random() * LIFE_MAX_MS);
      figures.doubled += doubled(rig);
      await daemon.kill();
      figures.lost += lost(rig, daemon.lines);
      if (random() < 0.2) tickets.push(replaceOne(rig, tickets, random));
    }
    const last = await rig.start();
    for (const name of tickets) rig.board.store.edit(name, { description: "say:done" });
    figures.unfinished = await unfinished(rig, last, tickets);
    figures.runs = rig.ledger((ledger) => ledger.runs({ limit: 100_000 })).length;
    return figures;
  } finally {
    await rig.close();
  }
}

/** These tickets are worked on for as long as they are open: no limit may park one. */
const LIMITS = "limits: {max_runs_per_issue: 100000, max_failures: 100000, max_idle_runs: 100000}";

const ticket = (rig: DaemonRig, n: number): string =>
  rig.board.store.add({
    title: `Ticket ${n}`,
    description: "deltas:3000\nsay:and on",
    labels: ["baton"],
    state: "Todo",
  }).identifier;

/** Somebody closes a ticket and opens another. */
function replaceOne(rig: DaemonRig, tickets: string[], random: () => number): string {
  const [closed] = tickets.splice(Math.floor(random() * tickets.length), 1);
  if (closed !== undefined) rig.board.store.move(closed, "Done");
  return ticket(rig, tickets.length);
}

/** What was published was committed before: each run claimed or ended in the log is so in the ledger. */
const lost = (rig: DaemonRig, lines: readonly Line[]): number =>
  rig.ledger(
    (ledger) =>
      lines.filter(({ fact, run_id: id }) => {
        if (typeof id !== "string" || (fact !== "claimed" && fact !== "run_ended")) return false;
        const run = ledger.run(id);
        return run === null || (fact === "run_ended" && run.ending === null);
      }).length,
  );

/** Runs of this ledger (by the mark of their processes) that are alive now. */
function aliveRuns(rig: DaemonRig): readonly string[] {
  const installation = rig.ledger((ledger) => ledger.load().installation);
  const mark = new RegExp(`\\0BATON_AGENT=${installation}\\.(r\\d+)\\0`);
  const marks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => mark.exec(`\0${environ(pid)}`)?.[1] ?? []);
  return [...new Set(marks)];
}

function environ(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** When it says that it has started, survivors are gone; what is alive then must be of runs it began itself. */
function orphans(rig: DaemonRig, daemon: Daemon): number {
  const begun = new Set(daemon.lines.filter(({ fact }) => fact === "claimed").map((line) => line["run_id"]));
  return aliveRuns(rig).filter((run) => !begun.has(run)).length;
}

const doubled = (rig: DaemonRig): number =>
  rig.ledger((ledger) => {
    const issues = aliveRuns(rig).map((run) => ledger.run(run)?.identifier ?? run);
    return issues.length - new Set(issues).size;
  });

async function unfinished(rig: DaemonRig, daemon: Daemon, tickets: readonly string[]): Promise<number> {
  for (const name of tickets) rig.board.store.move(name, "Done");
  await daemon.said("polled", (line) => line["candidates"] === 0);
  const claimed = (name: string): boolean =>
    rig.ledger((ledger) => ledger.issue(name)?.claim ?? null) !== null;
  const held = tickets.filter(claimed);
  await Promise.all(held.map((name) => daemon.said("released", of(name))));
  await daemon.stop();
  return tickets.filter(claimed).length;
}
