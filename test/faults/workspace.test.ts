import { f23 } from "./f23.ts";
import { testSuite } from "./suite-test.ts";

testSuite(f23);
