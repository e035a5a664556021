import { dirname, join } from "node:path";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { HeartbeatFile } from "../../../src/ledger/heartbeat.ts";
import { takeLock } from "../../../src/ledger/lock.ts";
import { refuseMissing } from "../../../src/ledger/there.ts";
import { failing, folder, ledgerFile, open } from "./folder.ts";

const refusal = (path: string): unknown => {
  try {
    refuseMissing(path);
    return null;
  } catch (error) {
    return error;
  }
};

test("a ledger that nobody ever made is missing, and one that is there is not refused", () => {
  const path = ledgerFile();
  expect(refusal(path)).toEqual(failing("missing", /no daemon has run here yet/));
  open(path);
  expect(refusal(path)).toBeNull();
});

test("a directory is called one, with the ledger that is in it", () => {
  const empty = folder();
  expect(refusal(empty)).toEqual(failing("foreign", /is a directory, and a ledger is a file/));
  mkdirSync(join(empty, ".baton"));
  writeFileSync(join(empty, ".baton", "ledger.db"), "");
  const inside = expect.stringContaining(join(empty, ".baton", "ledger.db")) as string;
  expect(refusal(empty)).toMatchObject({ hint: inside });
  expect(refusal(join(empty, ".baton"))).toMatchObject({ hint: inside });
});

test("a ledger that is gone while a daemon has its lock is lost, with the daemon's process", () => {
  const path = ledgerFile();
  open(path).close();
  const lock = takeLock(path, { pid: process.pid, since: new Date().toISOString(), workflows: ["/W.md"] });
  rmSync(path);
  expect(refusal(path)).toEqual(failing("lost", new RegExp(`a daemon runs \\(process ${process.pid}\\)`)));
  lock.release();
  expect(refusal(path)).toEqual(failing("missing", /no ledger/));
});

test("where the lock went along, a fresh sign of life says the same, and an old one does not", () => {
  const path = ledgerFile();
  mkdirSync(dirname(path), { recursive: true });
  const beat = { pid: process.pid, phase: "serving", stuck: null, workflows: [] } as const;
  const file = new HeartbeatFile(path, () => beat);
  file.start();
  onTestFinished(() => file.stop());
  expect(refusal(path)).toEqual(failing("lost", /but its ledger .* is gone/));
  utimesSync(`${path}.heartbeat`, 1, 1);
  expect(refusal(path)).toEqual(failing("missing", /no ledger/));
});
