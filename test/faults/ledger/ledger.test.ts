/** The ledger under faults, in numbers for every change; `npm run torture` does more of them. */
import { killedWriter } from "./killed-writer.ts";
import { fullDisk } from "./full-disk.ts";
import { damagedLedger } from "./damage.ts";
import { otherPrograms } from "./other-programs.ts";
import { killedMigrations } from "./killed-migrations.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [killedWriter, fullDisk, damagedLedger, otherPrograms, killedMigrations])
  testSuite(suite);
