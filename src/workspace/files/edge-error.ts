/** A failed system call as the error of this boundary: what, where, why, and what to do about it. */
import { WorkspaceError } from "../port.ts";

/** The code of a failed system call, `ENOENT`; null for anything else. */
export function errorCode(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}

const hints: Readonly<Record<string, string>> = {
  EACCES: "Give the user that runs Baton read and write permission there, or change workspace.root.",
  EPERM: "Give the user that runs Baton read and write permission there, or change workspace.root.",
  EROFS: "The file system is read-only: change workspace.root.",
  ENOSPC: "The disk is full: free some space, for example by removing workspaces of finished issues.",
  EDQUOT: "The disk quota is used up: free some space, or raise it.",
  ENOTDIR: "A part of the path is not a directory: change workspace.root.",
  EEXIST: "Something else is already there: remove it, or change workspace.root.",
  ENAMETOOLONG: "The path is too long: choose a shorter workspace.root.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n).",
};

const otherHint = "Look at what is there. Perhaps something changed it at that moment: then try again.";

/** Of a place that is nobody's directory: no other one can be made there either. */
const OF_THE_ROOT: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
]);

/** The same for what is done in the root itself: whatever keeps one workspace from being made there keeps all. */
export function rootError(what: string, cause: unknown): WorkspaceError {
  const error = edgeError(what, cause);
  if (cause instanceof WorkspaceError || !OF_THE_ROOT.has(errorCode(cause) ?? "")) return error;
  return new WorkspaceError("root_unusable", error.message, { hint: error.hint ?? otherHint, cause });
}

/** The boundary's error for a failed system call; one of ours stays what it is. */
export function edgeError(what: string, cause: unknown): WorkspaceError {
  if (cause instanceof WorkspaceError) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  // Names by way of a directory that is held (held.ts) mean nothing to people; `what` has the path.
  const why = said.replace(/, \w+ '\/proc\/self\/fd\/.*$/s, "");
  return new WorkspaceError("workspace_error", `${what}: ${why}`, {
    hint: hints[errorCode(cause) ?? ""] ?? otherHint,
    cause,
  });
}
