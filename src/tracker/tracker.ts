/** The face of this folder: the tracker port, and the kinds of tracker behind it. */
export { type Mismatch, mismatches } from "./mismatch.ts";
export { type Tracker, TrackerError, type TrackerNews } from "./port.ts";
export { trackerOpener } from "./kinds.ts";
export { complexityOf } from "./linear/linear.ts";
