/**
 * Records of whose each directory under a root is, beside the directories, where no agent's sandbox lets it write: an agent
 * gets its own workspace and nothing around it (but for roots below the temporary directory, which Codex's usual sandbox
 * opens: docs/DEPLOY.md). Not in the ledger, since daemons with ledgers of their own may share a root.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Held, readRegular } from "./files/files.ts";
import { withinOwn, writeWhole } from "./own-records.ts";
import { isSameIssue, othersIn, type Owner, ownerIn, ownerText, type Tenancy, type Tenant } from "./owner.ts";
import { WorkspaceError } from "./port.ts";

const folder = "owners";
const ending = ".json";

/** An identifier, two ids and an address. */
const RECORD_BYTES_MAX = 64 * 1_024;

export class Owners {
  /** What was found when a root was first used, and what was written since: where to look for an issue's directory. */
  readonly #seen = new Map<string, Map<string, Owner>>();
  readonly #tenancy: Tenancy | null;

  /** `tenancy`: null = nobody asks who works there besides. */
  constructor(tenancy: Tenancy | null = null) {
    this.#tenancy = tenancy;
  }

  /** Whose the directory is, by what is on the disk now; null = nobody's yet. @throws WorkspaceError for a broken record */
  async of(root: Held, key: string): Promise<Owner | null> {
    const owner = await this.#within(root, (held) => readOwner(held, key));
    const seen = await this.#in(root);
    if (owner === null) seen.delete(key);
    else seen.set(key, owner);
    return owner;
  }

  /** Keys recorded as this issue's, whatever it was called then; nobody has looked whether the directories are there. */
  async keysOf(root: Held, owner: Owner): Promise<readonly string[]> {
    const keys: string[] = [];
    for (const [key, seen] of await this.#in(root)) {
      if (!isSameIssue(seen, owner)) continue;
      const now = await this.of(root, key);
      if (now !== null && isSameIssue(now, owner)) keys.push(key);
    }
    return keys.sort();
  }

  /** All there are, by key. Records that cannot be read are nobody's. */
  async all(root: Held): Promise<ReadonlyMap<string, Owner>> {
    return this.#within(root, readAll);
  }

  /** @throws WorkspaceError while the daemon of another installation lives, and this is where it works. */
  refuseOthers(root: Held, key: string, owner: Owner | null): void {
    const tenant = othersIn(owner, this.#tenancy);
    if (tenant !== null) throw inUse(join(root.path, key), tenant);
  }

  /** Whether the daemon of another installation lives, and this is where it works. */
  isElsewhere = (owner: Owner): boolean => othersIn(owner, this.#tenancy) !== null;

  /**
   * Records the directory as this issue's, and as worked in by this installation, unless it is another's already: false
   * then. On the disk when it returns, so that the directory is never there before it.
   * @throws WorkspaceError, also while another daemon works in it
   */
  async claim(root: Held, key: string, owner: Owner): Promise<boolean> {
    const claimed = await this.#within(root, async (held) => {
      const before = await readOwner(held, key);
      if (before !== null && !isSameIssue(before, owner)) return null;
      this.refuseOthers(root, key, before);
      const mine = { ...owner, tenant: this.#tenancy?.self };
      const next = before === null ? mine : completed(mine, before);
      const text = ownerText(next);
      if (before !== null && ownerText(before) === text) return next;
      if (await writeWhole(held, `${key}${ending}`, text, { replaces: before !== null })) return next;
      // Somebody was quicker.
      const now = await readOwner(held, key);
      if (now !== null && isSameIssue(now, owner)) this.refuseOthers(root, key, now);
      return null;
    });
    if (claimed !== null) (await this.#in(root)).set(key, claimed);
    return claimed !== null;
  }

  /** Nothing to do for one that has no record. */
  async forget(root: Held, key: string): Promise<void> {
    await this.#within(root, (held) => rm(held.at(`${key}${ending}`), { force: true }));
    (await this.#in(root)).delete(key);
  }

  async #in(root: Held): Promise<Map<string, Owner>> {
    const { dev, ino } = root.identity;
    const name = `${root.path}\0${dev}:${ino}`;
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    const read = await this.#within(root, readAll);
    // Who else was reading them at the same time may have written one since.
    const seen = this.#seen.get(name) ?? new Map(read);
    this.#seen.set(name, seen);
    return seen;
  }

  #within<T>(root: Held, use: (held: Held) => Promise<T>): Promise<T> {
    return withinOwn(root, folder, use);
  }
}

const inUse = (path: string, { ledger }: Tenant): WorkspaceError =>
  new WorkspaceError(
    "workspace_in_use",
    `another daemon works in the workspace ${path}: the one on the ledger ${ledger}`,
    {
      hint: "Stop one of the two, or give one of them other tickets and a workspace.root of its own. Until then it is tried again now and then.",
    },
  );

/** What was known of the organisation once is not forgotten because the tracker does not tell it today. */
const completed = (now: Owner, { tracker }: Owner): Owner =>
  now.tracker.organisation === null ? { ...now, tracker } : now;

async function readOwner(held: Held, key: string): Promise<Owner | null> {
  const content = await readRegular(held.at(`${key}${ending}`), RECORD_BYTES_MAX);
  if (content === null) return null;
  const owner = ownerIn(content.toString("utf8"));
  if (owner !== null) return owner;
  const path = join(held.path, `${key}${ending}`);
  throw new WorkspaceError("workspace_error", `${path} does not say whose the workspace ${key} is`, {
    hint: "Look at whose work is in the workspace. Then remove this file: the issue of that name takes the directory over.",
  });
}

async function readAll(held: Held): Promise<ReadonlyMap<string, Owner>> {
  const names = await readdir(held.here);
  const found = new Map<string, Owner>();
  for (const name of names.filter((one) => one.endsWith(ending) && !one.startsWith("."))) {
    const key = name.slice(0, -ending.length);
    const owner = await readOwner(held, key).catch(() => null);
    if (owner !== null) found.set(key, owner);
  }
  return found;
}
