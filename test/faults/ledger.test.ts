/** The ledger under faults, in numbers for every change; `npm run torture` does more of them. */
import { f1 } from "./f1.ts";
import { f5 } from "./f5.ts";
import { f6 } from "./f6.ts";
import { f7 } from "./f7.ts";
import { f21 } from "./f21.ts";
import { testSuite } from "./suite-test.ts";

for (const suite of [f1, f5, f6, f7, f21]) testSuite(suite);
