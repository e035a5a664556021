/**
 * Lives on the ledger named on the command line as a daemon does: takes the lock, opens, ends what the last process left
 * open, commits, and prints each commit when it has returned. Runs until it is killed; without a ledger it ends at once.
 */
import { writeSync } from "node:fs";
import { takeLock } from "../../../src/ledger/lock.ts";
import { openWholeLedger } from "../../../src/ledger/repair/rebuild.ts";
import { ended, run } from "../../contract/ledger-records.ts";
import { stepsOf } from "./life.ts";

const [, , path] = process.argv;
if (path !== undefined) live(path);

function live(path: string): never {
  say("begins");
  const holder = { pid: process.pid, since: "now", workflows: [] };
  const lock = takeLock(path, holder);
  const { ledger, warning } = openWholeLedger(path, { installation: lock.installation });
  if (warning !== null) say(`alarm ${warning}`);
  const { runsEver, open, installation } = ledger.load();
  lock.remember(installation);
  const endings = open.flatMap(({ runId, issueId }) => [
    ended(run(0, { id: runId, issueId })),
    { type: "unclaim", issueId } as const,
  ]);
  ledger.commit(endings, []);
  for (let n = runsEver + 1; ; n += 1) {
    for (const [step, { records, facts }] of stepsOf(n).entries()) {
      const [first, ...others] = facts;
      ledger.commit(records, first === undefined ? [] : [first]);
      for (const fact of others) ledger.append(fact);
      say(`r${n} ${step}`);
    }
  }
}

function say(what: string): void {
  writeSync(1, `${what}\n`);
}
