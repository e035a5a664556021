import { f23 } from "./hostile-workspaces.ts";
import { testSuite } from "../suite-test.ts";

testSuite(f23);
