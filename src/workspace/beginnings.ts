/**
 * What was in a workspace when it had been made and no agent had been in it: what its hooks cloned and wrote is not work
 * that anybody would miss. Kept beside the directory, where the agent cannot write.
 */
import { rm } from "node:fs/promises";
import type { Held } from "./files/files.ts";
import { readRegular } from "./files/files.ts";
import { withinOwn, writeWhole } from "./own-records.ts";
import { beginningIn, beginningText, type Beginning } from "./rescue/rescue.ts";

const folder = "begun";
const nameOf = (key: string): string => `${key}.json`;

/** 200,000 refs and 20,000 files, with room. */
const BEGINNING_BYTES_MAX = 32 * 2 ** 20;

/** @throws WorkspaceError */
export const keepBeginning = (root: Held, key: string, beginning: Beginning): Promise<unknown> =>
  withinOwn(root, folder, (held) =>
    writeWhole(held, nameOf(key), beginningText(beginning), { replaces: true }),
  );

/** Null when nobody has looked, or it cannot be read: then all there is may be somebody's work. */
export const beginningOf = (root: Held, key: string): Promise<Beginning | null> =>
  withinOwn(root, folder, async (held) => {
    const content = await readRegular(held.at(nameOf(key)), BEGINNING_BYTES_MAX);
    return content === null ? null : beginningIn(content.toString("utf8"));
  }).catch(() => null);

/** @throws WorkspaceError */
export const forgetBeginning = (root: Held, key: string): Promise<void> =>
  withinOwn(root, folder, (held) => rm(held.at(nameOf(key)), { force: true }));
