/** Keys that name places on the disk: absolute afterwards, and the workspace root nowhere near the workflow file. */
import { realpathSync } from "node:fs";
import path from "node:path";
import type { Findings, KeyPath } from "./findings.ts";
import { expandPath, referenceIn, type Surroundings, temporaryDirectory, variable } from "./surroundings.ts";

const ROOT_KEY: KeyPath = ["workspace", "root"];

export function workspaceRoot(value: string | undefined, around: Surroundings, findings: Findings): string {
  const usual = path.resolve(temporaryDirectory(around), "symphony_workspaces");
  const root = value === undefined ? usual : rootAt(value, usual, around, findings);
  // What the agent can write, the daemon must not read its orders from (it would run the agent's hooks).
  if (isInside(around.file, root))
    findings.problem(
      ROOT_KEY,
      `${root} contains this file itself, so an agent could rewrite its own orders. Choose a directory that holds nothing but workspaces.`,
    );
  return root;
}

/** A variable that is the whole value and is unset means the default, as when the key were not there. */
function rootAt(value: string, usual: string, around: Surroundings, findings: Findings): string {
  const name = referenceIn(value);
  if (name === null || variable(name, around) !== null) return pathAt(ROOT_KEY, value, around, findings);
  findings.warn(ROOT_KEY, `the environment variable ${name} is not set; the default ${usual} is used.`);
  return usual;
}

/** No file system takes more; what is longer is not a path but a mistake. */
const PATH_MAX = 4_096;

/** The absolute path, or an empty one with a problem noted. */
export function pathAt(key: KeyPath, value: string, around: Surroundings, findings: Findings): string {
  const expanded = expandPath(value, around);
  if ("unset" in expanded)
    findings.problem(
      key,
      `the environment variable ${expanded.unset} is not set. Set it, or write the path.`,
    );
  else if (expanded.path.length > PATH_MAX || expanded.path.includes("\0"))
    findings.problem(key, `is no path: longer than ${PATH_MAX} characters, or with a NUL character in it.`);
  else return expanded.path;
  return "";
}

function isInside(file: string, directory: string): boolean {
  if (directory === "") return false;
  const relative = path.relative(real(directory), real(file));
  return relative === "" || (relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative));
}

/** The real path; of the nearest ancestor that exists when the thing itself does not yet. */
function real(target: string): string {
  try {
    return realpathSync(target);
  } catch {
    const parent = path.dirname(target);
    return parent === target ? target : path.join(real(parent), path.basename(target));
  }
}
