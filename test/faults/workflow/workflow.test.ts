import { wrongSaves } from "./wrong-saves.ts";
import { testSuite } from "../suite-test.ts";

testSuite(wrongSaves);
