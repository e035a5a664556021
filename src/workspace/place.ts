/** Which directory under a root is an issue's: by what is recorded, and where nothing is, by its name. Decides, touches nothing. */
import { keyBeside, olderWorkspaceKey, workspaceKey } from "./key.ts";
import { isSameIssue, type Owner } from "./owner.ts";

/** What can be asked of the directories under one root. */
export interface Registry {
  /** Null = nobody's: made by an earlier release, or by a person. */
  of(key: string): Promise<Owner | null>;
  keysOf(owner: Owner): Promise<readonly string[]>;
  isThere(key: string): Promise<boolean>;
}

export interface Place {
  readonly key: string;
  /** Whose the directory of the issue's name is, when it is not this issue's. */
  readonly taken: Owner | null;
}

/**
 * Where the issue works: in the directory it has, under whatever name; else in the one of its name, also one that nobody has
 * claimed; else beside it.
 */
export async function placeOf(owner: Owner, registry: Registry): Promise<Place> {
  const key = workspaceKey(owner.identifier);
  const has = await firstThere(await registry.keysOf(owner), registry, key);
  if (has !== null) return { key: has, taken: null };
  const older = olderWorkspaceKey(owner.identifier);
  if (older !== null && (await registry.of(older)) === null && (await registry.isThere(older)))
    return { key: older, taken: null };
  const taken = await registry.of(key);
  if (taken === null || isSameIssue(taken, owner)) return { key, taken: null };
  return { key: keyBeside(key, owner.tracker.kind, owner.issueId), taken };
}

/** The one called as the issue is now, if there are several. */
async function firstThere(
  keys: readonly string[],
  registry: Registry,
  preferred: string,
): Promise<string | null> {
  const inOrder = [...keys].sort((a, b) => Number(b === preferred) - Number(a === preferred));
  for (const key of inOrder) if (await registry.isThere(key)) return key;
  return null;
}

/**
 * Directories that go with the issue: those recorded as its own; unless only these are asked for, also what has its name and
 * no record. Whether they are there is for whoever removes them to see.
 */
export async function placesOf(
  owner: Owner,
  registry: Registry,
  onlyRecorded: boolean,
): Promise<readonly string[]> {
  const recorded = await registry.keysOf(owner);
  if (onlyRecorded) return recorded;
  const names = [workspaceKey(owner.identifier), olderWorkspaceKey(owner.identifier)];
  const more: string[] = [];
  for (const name of names)
    if (name !== null && !recorded.includes(name) && (await registry.of(name)) === null) more.push(name);
  return [...recorded, ...more];
}
