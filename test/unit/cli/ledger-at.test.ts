import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askLedger, isLedgerServed, ledgerAt } from "../../../src/cli/ledger-at.ts";
import { lastHolder, takeLock } from "../../../src/ledger/ledger.ts";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "baton-ledger-at-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const workflow = (front: string): string => {
  const file = join(directory, "WORKFLOW.md");
  writeFileSync(file, `---\n${front}\n---\nDo it.\n`);
  return file;
};
const env = { STATE: "/srv/state" };

it("is served as long as a daemon holds its lock, which says whose workflows it has", async () => {
  const ledger = join(directory, "ledger.db");
  expect(await isLedgerServed(ledger)).toBe(false);
  const workflows = [join(directory, "elsewhere", "WORKFLOW.md")];
  const lock = takeLock(ledger, { pid: process.pid, since: "x", workflows });
  expect(await isLedgerServed(ledger)).toBe(true);
  expect(lastHolder(ledger)?.workflows).toEqual(workflows);
  expect(lastHolder(join(directory, "other.db"))).toBeNull();
  lock.release();
  expect(await isLedgerServed(ledger)).toBe(false);
  expect(lastHolder(ledger)?.workflows).toEqual(workflows);
});

describe("the ledger that is meant", () => {
  it("is the one that is named, whatever else is set", async () => {
    const workflowFile = workflow("ledger: {path: /elsewhere.db}");
    const named = { BATON_LEDGER: "/from/env.db" };
    expect(await ledgerAt({ ledger: "/a/b.db", workflowFile }, named)).toBe("/a/b.db");
    expect(await ledgerAt({ workflowFile }, named)).toBe("/elsewhere.db");
    expect(await ledgerAt({}, named)).toBe("/from/env.db");
  });

  it("is beside the workflow when the file does not say where", async () => {
    const usual = join(directory, ".baton", "ledger.db");
    expect(await ledgerAt({ workflowFile: workflow("tracker: {kind: linear}") }, {})).toBe(usual);
  });

  it("is found without a key, in a file that no daemon would take", async () => {
    const usual = join(directory, ".baton", "ledger.db");
    expect(await ledgerAt({ workflowFile: workflow("agent: 7\nledger: {path: x.db}") }, {})).toBe(
      join(directory, "x.db"),
    );
    expect(await ledgerAt({ workflowFile: workflow("ledger: [") }, {})).toBe(usual);
    expect(await ledgerAt({ workflowFile: workflow("ledger: 3") }, {})).toBe(usual);
  });

  it.each([
    ["~/l.db", join(homedir(), "l.db")],
    ["$STATE/l.db", "/srv/state/l.db"],
  ])("is read from the file as the daemon reads it: %s", async (written, path) => {
    expect(await ledgerAt({ workflowFile: workflow(`ledger:\n  path: ${written}`) }, env)).toBe(path);
  });

  it("cannot be known when its path needs a variable that is not set, or the file is not there", async () => {
    const workflowFile = workflow("ledger:\n  path: $NOWHERE/l.db");
    await expect(ledgerAt({ workflowFile }, {})).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining("$NOWHERE, which is not set") as string,
    });
    await expect(ledgerAt({ workflowFile: join(directory, "none.md") }, {})).rejects.toMatchObject({
      code: 2,
    });
  });

  it("that is not there fails with what to do", async () => {
    await expect(askLedger(join(directory, "none.db"), () => 1)).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/no ledger at .*\n.+/) as string,
    });
  });
});
