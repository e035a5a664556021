/** The face of this folder: unpushed work is saved before a workspace goes, listed, restored and forgotten. */
export { type Beginning, beginningIn, beginningText } from "./beginning.ts";
export { createRescuer, type Rescuer } from "./rescuer.ts";
export { findRescue, listRescues, pruneRescues, type Rescued, rescueDirectory } from "./rescues.ts";
export type { Manifest, RescuedRepository } from "./manifest.ts";
export { restore, type Restored } from "./restore.ts";
