import { testWorlds } from "./sim-test.ts";

testWorlds(1);
