import { f14 } from "./processes-that-stay.ts";
import { f15 } from "./dying-agents.ts";
import { f8 } from "./any-message.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [f8, f14, f15]) testSuite(suite);
