/** The face of this folder: files that somebody else may change meanwhile, touched without being led astray. */
export { edgeError, errorCode, rootError } from "./edge-error.ts";
export { type Held, holding, holdingIn, type Identity, openDirectory, sameIdentity } from "./held.ts";
export { type Entry, findRoot, holdingOwn, inspect, openRoot } from "./safe-path.ts";
export { Sizes } from "./sizes.ts";
export { refuseMounts } from "./mounts.ts";
export { deleteIn, deleteLeftovers, throwAway, TRASH } from "./trash.ts";
export { type Inside, linkInside, openInside, openReal, readReal, readRegular } from "./read-as-data.ts";
export { walkFiles } from "./walk.ts";
export { isGits, layDown, makeDirectories, makeWay } from "./lay-down.ts";
export { makingPrefix } from "./making.ts";
