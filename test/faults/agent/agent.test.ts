import { processesThatStay } from "./processes-that-stay.ts";
import { dyingAgents } from "./dying-agents.ts";
import { anyMessage } from "./any-message.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [anyMessage, processesThatStay, dyingAgents]) testSuite(suite);
