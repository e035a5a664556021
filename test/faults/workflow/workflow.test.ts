import { f24 } from "./wrong-saves.ts";
import { testSuite } from "../suite-test.ts";

testSuite(f24);
