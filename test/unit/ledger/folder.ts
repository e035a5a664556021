/** What tests of a ledger begin with: files that are gone after them, a ledger that is closed, a look at its rows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { LedgerErrorKind } from "../../../src/ledger/ledger-error.ts";
import type { Ledger } from "../../../src/ledger/port.ts";
import { type LedgerOptions, openLedger } from "../../../src/ledger/sqlite.ts";
import { run, running, said, started, toolCalled, turnStarted, used } from "../../contract/ledger-records.ts";
import { live } from "../../faults/ledger/life.ts";

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ledger-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const ledgerFile = (): string => join(folder(), "state", "ledger.db");

/** A ledger that is closed with the test. */
export function open(path: string, options?: LedgerOptions): Ledger {
  const ledger = openLedger(path, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** A ledger that a daemon has open: with a past, and a run under way. */
export function lively(): { path: string; ledger: Ledger } {
  const path = ledgerFile();
  const ledger = open(path);
  live(ledger, 9, () => {});
  const of = run(10);
  ledger.commit([{ type: "claim", claim: running(of), at: of.startedAt }, started(of)], []);
  return { path, ledger };
}

/** Facts of second 5 (`said`) and 7 (`toolCalled`) of run 1, which outlives them. */
export function filled(path: string, facts: number): Ledger {
  const one = run(1);
  const ledger = open(path);
  ledger.commit([started(one), turnStarted(one, 1), used(one, 50)], []);
  ledger.commit(
    [],
    Array.from({ length: facts }, (_, n) => said(`${n}`, one)),
  );
  ledger.commit([], [toolCalled(one, "call-1")]);
  return ledger;
}

/** What is written, read by somebody else. */
export function rows(path: string, sql: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** A LedgerError of this kind, with a hint. */
export const failing = (kind: LedgerErrorKind, message: RegExp): unknown =>
  expect.objectContaining({
    kind,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\w{3}/),
  });
