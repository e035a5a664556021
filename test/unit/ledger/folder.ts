/** A folder for one test's files, gone after it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ledger-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const ledgerFile = (): string => join(folder(), "state", "ledger.db");
