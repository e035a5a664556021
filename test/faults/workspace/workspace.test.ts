import { hostileWorkspaces } from "./hostile-workspaces.ts";
import { testSuite } from "../suite-test.ts";

testSuite(hostileWorkspaces);
