/**
 * Commits runs, one after the other, to the ledger named on the command line, and prints the number of each commit when
 * it has returned: what was printed must be found after a kill. Runs until it is killed.
 */
import { writeSync } from "node:fs";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import {
  ended,
  opened,
  run,
  running,
  said,
  started,
  tallied,
  turnStarted,
  used,
} from "../../contract/ledger-records.ts";

const ledger = openLedger(process.argv[2] ?? "");
const { runsEver, open } = ledger.load();
const acknowledge = (what: string): void => void writeSync(1, `${what}\n`);

// What the last process left open is ended first, as a restart does it.
ledger.commit(
  open.map(({ runId, issueId }) => ended(run(0, { id: runId, issueId }))),
  [],
);
for (let n = runsEver + 1; ; n += 1) {
  // Three issues take turns, so that a second open run of one would be noticed.
  const of = run(n, { issueId: run(n % 3).issueId, identifier: run(n % 3).identifier });
  ledger.commit(
    [tallied(n % 3), { type: "claim", claim: running(of), at: of.startedAt }, started(of)],
    [said("started", of)],
  );
  acknowledge(`started ${of.id}`);
  ledger.append(said("something", of));
  ledger.commit(
    [opened(of, `thread-${n}`), turnStarted(of, 1), used(of, 10 + n, { thread: `thread-${n}` })],
    [],
  );
  acknowledge(`used ${of.id}`);
  ledger.commit([{ type: "unclaim", issueId: of.issueId }, ended(of)], [said("ended", of)]);
  acknowledge(`ended ${of.id}`);
}
