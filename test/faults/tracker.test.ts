import { f10 } from "./f10.ts";
import { f9 } from "./f9.ts";
import { testSuite } from "./suite-test.ts";

testSuite(f9);
testSuite(f10);
