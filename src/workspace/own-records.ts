/**
 * Small files of ours under a root, beside the directories of the issues and out of reach of their agents: each is there as a
 * whole or not at all, and for the daemon's user alone.
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, errorCode, type Held, holdingIn, holdingOwn } from "./files/files.ts";

const own = ".baton";

/** Holds `<root>/.baton/<folder>`, which is made when it is missing. @throws WorkspaceError, also when it is a link */
export function withinOwn<T>(root: Held, folder: string, use: (held: Held) => Promise<T>): Promise<T> {
  return holdingOwn(root, own, async (held) => {
    await mkdir(held.at(folder), { mode: 0o700 }).catch((cause: unknown) => {
      if (errorCode(cause) !== "EEXIST") throw cause;
    });
    return holdingIn(held, folder, use);
  }).catch((cause: unknown) => {
    throw edgeError(`the records in ${join(root.path, own, folder)} cannot be used`, cause);
  });
}

/** Under another name first, then on the disk under its own. False when it is there already, unless it is to be replaced. */
export async function writeWhole(
  held: Held,
  name: string,
  text: string,
  { replaces }: { readonly replaces: boolean },
): Promise<boolean> {
  const making = held.at(`.${randomUUID()}`);
  const file = await open(making, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (replaces) await rename(making, held.at(name));
    else await link(making, held.at(name));
    return true;
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") return false;
    throw cause;
  } finally {
    await rm(making, { force: true });
  }
}
