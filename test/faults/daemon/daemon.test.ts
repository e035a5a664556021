import { stopsAtAnyMoment } from "./stops.ts";
import { killedDaemon } from "./killed-daemon.ts";
import { killedAtPoints } from "./killed-at-points.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [killedDaemon, killedAtPoints, stopsAtAnyMoment]) testSuite(suite);
