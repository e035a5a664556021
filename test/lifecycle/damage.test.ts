/** What the disk or a person did to the ledger while no daemon ran. */
import Database from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { after, instant } from "../../src/domain/time.ts";
import { checkLedger } from "../../src/ledger/repair/check.ts";
import type { IssueRow } from "../../src/ledger/port.ts";
import { openLedger } from "../../src/ledger/sqlite.ts";
import { eventually } from "../eventually.ts";
import { baton } from "./cli-child.ts";
import { type Daemon, DaemonRig, of } from "./daemon-rig.ts";

const light = `${process.execPath} ${fileURLToPath(new URL("../fixtures/light-app-server.ts", import.meta.url))}`;

let rig: DaemonRig;
let ledgerPath: string;
beforeEach(async () => {
  rig = await DaemonRig.open();
  ledgerPath = join(dirname(rig.workflow), ".baton", "ledger.db");
  rig.write({
    command: light,
    prompt: "{{ issue.description }}",
    maxTurns: 1,
    afterCreate: "true",
    extra: "limits: {max_runs_per_issue: 1}\nledger: {retention_days: 7}",
  });
});
afterEach(async () => {
  await rig.close();
});

/** A ticket whose one run uses tokens, and which is parked after it: it is still open. */
const ticket = (title: string): string =>
  rig.board.store.add({ title, description: "say:half done", labels: ["baton"], state: "Todo" }).identifier;

const warnings = (daemon: Daemon): readonly unknown[] =>
  daemon.lines.filter((line) => line["fact"] === "warning").map((line) => line["msg"] ?? line["message"]);

/** Writes nonsense over every page of a table. */
function damageTable(path: string, table: string): void {
  const db = new Database(path);
  const pages = db.prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ?").pluck().all(table);
  const pageBytes = Number(db.pragma("page_size", { simple: true }));
  db.close();
  const bytes = readFileSync(path);
  for (const page of pages) bytes.fill(0x5a, (page - 1) * pageBytes, page * pageBytes);
  writeFileSync(path, bytes);
}

const asideOf = (path: string): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => /\.damaged-[^-]*$/.test(name));

/** In the ledger's events. */
const warningsKept = (): number => {
  const db = new Database(ledgerPath, { readonly: true });
  try {
    return Number(db.prepare("SELECT count(*) FROM events WHERE type = 'warning'").pluck().get());
  } finally {
    db.close();
  }
};

/** The park without what each scan may change of it; undefined when it is none. */
function parkOf(row: IssueRow | null): unknown {
  const claim = row?.claim;
  return claim?.phase === "parked" ? [claim.reason, claim.since, claim.why] : undefined;
}

/** Two scans: what the first found would have been claimed by the second. */
async function twoScans(daemon: Daemon): Promise<void> {
  const first = await daemon.said("polled");
  await daemon.said("polled", (line) => line !== first);
}

test("a ledger damaged while no daemon ran is kept and said; what bounded spending bounds it still, who was parked stays parked", async () => {
  const name = ticket("Parked");
  const first = await rig.start();
  await first.said("parked", of(name));
  await first.stop();
  const before = rig.ledger((ledger) => ledger.issue(name));
  expect(parkOf(before)).toBeDefined();
  expect(before?.tally?.tokens.total).toBeGreaterThan(0);
  damageTable(ledgerPath, "tallies");
  const damaged = readFileSync(ledgerPath);

  const again = await rig.start();
  expect(warnings(again)).toEqual([
    expect.stringMatching(/was damaged; .*is kept beside it as .*What to do/s),
  ]);
  const aside = asideOf(ledgerPath);
  expect(aside).toHaveLength(1);
  expect(readFileSync(join(dirname(ledgerPath), aside[0] ?? "")).equals(damaged)).toBe(true);
  await twoScans(again);
  expect(again.lines.some(of(name, (line) => line["fact"] === "claimed"))).toBe(false);
  await again.stop();
  const now = rig.ledger((ledger) => ledger.issue(name));
  expect(parkOf(now)).toEqual(parkOf(before));
  expect(now?.tally).toMatchObject({ runs: before?.tally?.runs, tokens: before?.tally?.tokens });
  expect(checkLedger(ledgerPath).flatMap(({ problems }) => problems)).toEqual([]);
  expect(warningsKept()).toBe(1);
});

test("a ledger that vanished is missed, and what its daemon left running is found by the name it had", async () => {
  // Without a ticket that has it, the board knows no such label, and the first scan warns of that, some time later.
  rig.board.store.add({ title: "Not yet", labels: ["baton"], state: "Backlog" });
  const first = await rig.start();
  const { installation } = rig.ledger((ledger) => ledger.load());
  await first.kill();
  const survivor = spawn("sleep", ["600"], {
    env: { ...process.env, BATON_RUN: `${installation}.r7` },
    stdio: "ignore",
  });
  onTestFinished(() => void survivor.kill("SIGKILL"));
  const ended = once(survivor, "exit");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(ledgerPath + suffix, { force: true });

  const again = await rig.start();
  expect(warnings(again)).toEqual([
    expect.stringMatching(/A daemon has worked here before.*is gone.*What to do/s),
  ]);
  expect(again.lines.find((line) => line["fact"] === "survivors_ended")).toMatchObject({ processes: 1 });
  expect(await ended).toEqual([null, "SIGTERM"]);
  expect(rig.ledger((ledger) => ledger.load().installation)).toBe(installation);
  await again.stop();
  expect(warningsKept()).toBe(1);
});

test("history older than ledger.retention_days goes while the daemon runs; parks and counters of that time stay", async () => {
  const name = ticket("Old");
  const first = await rig.start();
  await first.said("parked", of(name));
  await first.stop();
  const before = rig.ledger((ledger) => ledger.issue(name));
  const old = after(instant(Date.now()), -8 * 24 * 60 * 60_000);
  const ledger = openLedger(ledgerPath);
  ledger.commit([], [{ type: "warning", message: "from eight days ago", at: old }]);
  ledger.close();
  expect(warningsKept()).toBe(1);

  const again = await rig.start();
  await eventually(() => expect(warningsKept()).toBe(0));
  await again.stop();
  const now = rig.ledger((reader) => reader.issue(name));
  expect([parkOf(now), now?.tally]).toEqual([parkOf(before), before?.tally]);
  const [only] = rig.ledger((reader) => reader.runs({ issue: name, limit: 9 }));
  expect(only?.ending?.outcome).toBe("completed");
  expect(rig.ledger((reader) => reader.timeline(only === undefined ? [] : [only.id], 99))).not.toEqual([]);
});

test("a ledger that is taken from under a daemon is said at once by who asks, and ends the daemon by name", async () => {
  const daemon = await rig.start();
  await daemon.said("scan_changed");
  renameSync(ledgerPath, `${ledgerPath}.moved`);
  const asked = await baton(["status"], { cwd: dirname(rig.workflow) });
  expect(asked.code).toBe(1);
  expect(asked.err).toMatch(/a daemon runs \(process \d+\), but its ledger .* is gone|no ledger at/);
  expect(await daemon.exit).toBe(5);
  expect(warnings(daemon).filter((said) => String(said).includes("while it was in use"))).toHaveLength(1);
  // What was taken is as whole as it was left: put back, it is gone on with.
  renameSync(`${ledgerPath}.moved`, ledgerPath);
  const again = await rig.start();
  await again.said("scan_changed");
  expect(warnings(again).filter((said) => String(said).includes("ledger"))).toEqual([]);
  await again.stop();
}, 60_000);
