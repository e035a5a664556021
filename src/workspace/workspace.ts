/** The face of this folder: the workspace port, directories on a disk behind it, and the work that is saved from them. */
export {
  createRescuer,
  findRescue,
  listRescues,
  type Manifest,
  pruneRescues,
  type Rescued,
  rescueDirectory,
  type RescuedRepository,
  restore,
  type Restored,
} from "./rescue/rescue.ts";
export { type Workspace, WorkspaceError, type WorkspaceFor, type Workspaces } from "./port.ts";
export { bashHooks } from "./hooks/hooks.ts";
export { createDiskWorkspaces } from "./disk.ts";
export { DiskSpace, diskVerdict } from "./disk-space.ts";
export { fingerprint, type RepositoryWork, workIn } from "./git/git.ts";
export { olderWorkspaceKey, workspaceKey } from "./key.ts";
export { isSameTracker, type Owner } from "./owner.ts";
