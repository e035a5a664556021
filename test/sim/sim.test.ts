/** Whole installations in virtual time, in the small numbers of `npm test`. */
import { simulatedDays } from "../faults/daemon/simulated-days.ts";
import { testSuite } from "../faults/suite-test.ts";

testSuite(simulatedDays);
