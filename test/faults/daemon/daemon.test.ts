import { f18 } from "./stops.ts";
import { f2 } from "./killed-daemon.ts";
import { f3 } from "./killed-at-points.ts";
import { testSuite } from "../suite-test.ts";

for (const suite of [f2, f3, f18]) testSuite(suite);
