import { f18 } from "./f18.ts";
import { f2 } from "./f2.ts";
import { f3 } from "./f3.ts";
import { testSuite } from "./suite-test.ts";

for (const suite of [f2, f3, f18]) testSuite(suite);
