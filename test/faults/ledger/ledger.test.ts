/** The ledger under faults, in numbers for every change; `npm run torture` does more of them. */
import { f1 } from "./killed-writer.ts";
import { f5 } from "./full-disk.ts";
import { f6 } from "./damage.ts";
import { f7 } from "./other-programs.ts";
import { f21 } from "./killed-migrations.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [f1, f5, f6, f7, f21]) testSuite(suite);
