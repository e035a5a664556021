/** The face of this folder: what git knows of a workspace, asked without running what an agent wrote. */
export { isRefName, type Refs } from "./git-refs.ts";
export { type Shadow, withShadow } from "./shadow.ts";
export { survey, type Survey, type Surveyed } from "./survey.ts";
export { fingerprint, fingerprintOf } from "./progress.ts";
export { type RepositoryWork, workIn } from "./work.ts";
export { gitLines } from "./git-call.ts";
