import { f24 } from "./f24.ts";
import { testSuite } from "./suite-test.ts";

testSuite(f24);
