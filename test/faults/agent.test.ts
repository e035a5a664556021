import { f14 } from "./f14.ts";
import { f15 } from "./f15.ts";
import { f8 } from "./f8.ts";
import { testSuite } from "./suite-test.ts";

for (const suite of [f8, f14, f15]) testSuite(suite);
