/** The face of this folder: a daemon is composed, started and stopped. Commands and the demo see no more of it. */
export { compose, type Composed, type Composition } from "./compose.ts";
export { Daemon, type Stopped } from "./service.ts";
export type { Failpoint } from "./failpoints.ts";
export { policyOf } from "./policy.ts";
export { recover } from "./recover.ts";
