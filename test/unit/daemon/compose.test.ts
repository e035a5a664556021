import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Composed, compose } from "../../../src/daemon/compose.ts";
import type { Fact } from "../../../src/domain/fact.ts";
import { DAY_MS, instant } from "../../../src/domain/time.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { LockHeld } from "../../../src/ledger/lock.ts";
import { openLedger, openLedgerReadOnly } from "../../../src/ledger/sqlite.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { eventually } from "../../eventually.ts";
import { aRescue } from "../workspace/rescue/made.ts";

let folder = "";
let ledgerPath = "";
let facts: Fact[] = [];
/** Each workflow of which something was said, and what could then be read of its key. */
let readable: string[] = [];
const open: Composed[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compose-"));
  ledgerPath = join(folder, "state", "ledger.db");
  facts = [];
});
afterEach(() => {
  for (const { close } of open.splice(0)) close();
  rmSync(folder, { recursive: true, force: true });
});

const keyOf = (name: string): string => `key-of-${name}-0123456789`;

/** Nobody answers at this tracker's address. */
const workflow = (name: string, days: number): WorkflowFile => {
  const path = join(folder, `${name}.md`);
  const tracker = `tracker: {kind: linear, project_slug: demo, api_key: $KEY, endpoint: "http://127.0.0.1:9/g"}`;
  const kept = `ledger: {retention_days: ${days}}\nrescue: {retention_days: ${days}}`;
  const root = `workspace: {root: ${join(folder, "workspaces")}}`;
  writeFileSync(path, `---\nname: ${name}\n${tracker}\n${root}\n${kept}\n---\nWork.\n`);
  return new WorkflowFile(path, { KEY: keyOf(name) }, folder);
};

function composed(files: readonly WorkflowFile[] = []): Composed {
  const redactor = new Redactor();
  readable = [];
  const bus = new Facts(redactor);
  bus.subscribe((fact) => {
    facts.push(fact);
    if (fact.workflow !== undefined)
      readable.push(`${fact.workflow}: ${redactor.text(keyOf(fact.workflow))}`);
  }, "the test");
  const warnings = new Map();
  const env = { PATH: process.env["PATH"], HOME: folder };
  const one = compose({ version: "0", env, files, warnings, ledgerPath, facts: bus, redactor });
  open.push(one);
  return one;
}
const warned = (): readonly string[] =>
  facts.flatMap((fact) => (fact.type === "warning" ? [fact.message] : []));

test("a second daemon gets neither lock nor ledger until the first has closed, and closing twice is closing once", () => {
  const first = composed();
  expect(() => composed()).toThrow(LockHeld);
  first.close();
  first.close();
  composed();
});

test("a first start is no loss; a ledger that is gone is replaced, and that is said once", () => {
  composed().close();
  composed().close();
  expect(warned()).toEqual([]);
  for (const name of readdirSync(join(folder, "state")).filter((name) => name.startsWith("ledger.db")))
    rmSync(join(folder, "state", name));
  composed().close();
  expect(warned()).toHaveLength(1);
  composed().close();
  expect(warned()).toHaveLength(1);
});

test("history and rescues are kept as long as the most patient workflow says, and a key is hidden before anything is said of its workflow", async () => {
  const now = Date.now();
  const ago = (days: number) => instant(now - days * DAY_MS);
  mkdirSync(join(folder, "state"));
  const before = openLedger(ledgerPath);
  for (const days of [4, 2]) before.append({ type: "warning", message: `${days} days ago`, at: ago(days) });
  before.close();
  const rescue = (days: number): string =>
    aRescue(join(folder, "state", "rescue"), {
      id: `MT-${days}`,
      rescued_at: new Date(ago(days)).toISOString(),
    }).to;
  const [old, young] = [rescue(4), rescue(2)];
  const { daemon, close } = composed([workflow("hasty", 1), workflow("patient", 3)]);
  await daemon.start();
  await eventually(() => {
    if (existsSync(old)) throw new Error("the old rescue is still there");
  });
  daemon.requestStop("the test is over");
  daemon.requestStop("and does not wait");
  await daemon.stopped;
  close();
  expect([...new Set(readable)].toSorted()).toEqual(["hasty: ***", "patient: ***"]);
  expect(existsSync(young)).toBe(true);
  const ledger = openLedgerReadOnly(ledgerPath);
  const said = ledger.lately(instant(0), 99).map(({ fact }) => (fact.type === "warning" ? fact.message : ""));
  ledger.close();
  expect(said).toContain("2 days ago");
  expect(said).not.toContain("4 days ago");
});
