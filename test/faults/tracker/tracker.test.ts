import { f10 } from "./refusal-storm.ts";
import { f9 } from "./spoiled-answers.ts";
import { testSuite } from "../suite-test.ts";

testSuite(f9);
testSuite(f10);
