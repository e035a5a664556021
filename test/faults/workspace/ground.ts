/**
 * A place to attack workspaces in: a root, a state directory, and beside them what nobody may read, write or remove. Times
 * tell: the kernel notes every change, and with `relatime` the first read after a change.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitEnvironment } from "../../git-environment.ts";

export const gold = "GOLD of somebody else";
export const identifier = "MT-1";
/** A tracked file with a path as long as that of `outside/secret` from the workspace, and as long a content. */
export const sameLengthAsSecret = "dir/0123456789abcdef";

/** As an agent would, with the configuration that lies there. */
export const git = (directory: string, ...args: string[]): string =>
  execFileSync("git", ["-C", directory, ...args], {
    env: gitEnvironment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

/** In memory where there is room for a million files: making them on a disk takes longer than all the attacks. */
function place(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize, ffree } = statfsSync(memory);
  return bavail * bsize > 4 * 2 ** 30 && ffree > 2_000_000 ? memory : tmpdir();
}

export class Ground {
  readonly base = realpathSync(mkdtempSync(join(place(), "baton-ground-")));
  readonly root = join(this.base, "root");
  readonly outside = join(this.base, "outside");
  readonly state = join(this.base, "state");
  readonly path = join(this.root, identifier);
  /** A program that leaves `sprung` behind when somebody runs it. */
  readonly trap = join(this.base, "trap.sh");
  readonly sprung = join(this.base, "sprung");
  /** Whether this file system tells of reads. */
  readonly tellsReads: boolean;
  readonly #template = join(this.base, "template");
  readonly #guarded: readonly string[];
  readonly #seen = new Map<string, readonly bigint[]>();
  readonly #secretCommit: string;

  constructor() {
    this.#layOutside();
    this.#secretCommit = git(join(this.outside, "repo"), "rev-parse", "HEAD");
    this.#layTemplate();
    writeFileSync(this.trap, `#!/bin/sh\necho "$0 $*" >> '${this.sprung}'\ncat\nexit 0\n`, { mode: 0o755 });
    this.#guarded = everythingIn(this.outside);
    this.arm();
    readFileSync(join(this.outside, "secret"));
    this.tellsReads = this.damage().read.length > 0;
    this.fresh();
  }

  /** A new root with one workspace in it, and nothing rescued yet. `bare`: without a repository. */
  fresh({ bare = false }: { readonly bare?: boolean } = {}): void {
    for (const directory of [this.root, this.state, this.sprung]) remove(directory);
    mkdirSync(this.root);
    cpSync(this.#template, this.path, { recursive: true, preserveTimestamps: true });
    if (bare) rmSync(join(this.path, ".git"), { recursive: true });
    this.arm();
  }

  /** From now on, everything outside is as it should be. */
  arm(): void {
    for (const path of this.#guarded) {
      // Long ago: a read that follows is noted, whatever was read before.
      if (existsSync(path)) utimesSync(path, 1, 1_000_000_000);
      this.#seen.set(path, timesOf(path));
    }
  }

  /** What happened outside since it was last armed. */
  damage(): { readonly changed: readonly string[]; readonly read: readonly string[] } {
    const changed: string[] = [];
    const read: string[] = [];
    for (const path of this.#guarded) {
      const before = this.#seen.get(path) ?? [];
      const [atime, ...rest] = timesOf(path);
      if (rest.some((value, index) => value !== before[index + 1])) changed.push(path);
      else if (atime !== before[0]) read.push(path);
    }
    return { changed, read };
  }

  /** Rescues that hold something of outside. */
  leaks(): readonly string[] {
    if (!existsSync(this.state)) return [];
    return everythingIn(this.state).filter((path) => {
      if (!lstatSync(path).isFile()) return false;
      const content = readFileSync(path, "latin1");
      return content.includes(gold) || content.includes(this.#secretCommit);
    });
  }

  end(): void {
    remove(this.base);
  }

  #layOutside(): void {
    const put = (path: string, content: string = gold): void => {
      mkdirSync(join(this.outside, path, ".."), { recursive: true });
      writeFileSync(join(this.outside, path), content);
    };
    for (const path of ["secret", "dir/secret", "dir/file", "trash/keep", "trash/left/deep/file"]) put(path);
    // Of the shapes that Baton knows: a workspace, a mark, a root.
    for (const path of ["MT-1/code.ts", "MT-1/dir/file", "marks/MT-1.creating", "root/MT-1/code.ts"])
      put(path);
    for (const path of ["root/.trash/left/file", "root/.baton/MT-1.creating"]) put(path);
    put("repo/code.ts");
    const repo = join(this.outside, "repo");
    git(this.outside, "init", "--quiet", "--template=", "--initial-branch=main", repo);
    git(repo, "add", "--all");
    git(repo, "commit", "--quiet", "--message", "secret");
  }

  #layTemplate(): void {
    mkdirSync(join(this.#template, "dir"), { recursive: true });
    git(this.base, "init", "--quiet", "--template=", "--initial-branch=main", this.#template);
    for (const name of ["code.ts", "dir/file", ".gitignore"])
      writeFileSync(join(this.#template, name), name === ".gitignore" ? "ignored\n" : "one\n");
    writeFileSync(join(this.#template, sameLengthAsSecret), "x".repeat(gold.length));
    git(this.#template, "add", "--all");
    git(this.#template, "commit", "--quiet", "--message", "one");
    // Something to save of every sort: a changed file, a new one, one below a directory.
    writeFileSync(join(this.#template, "code.ts"), "six\n");
    writeFileSync(join(this.#template, "dir", "new"), "new\n");
  }
}

/** The kernel's own word for a path, the time of the last read first. */
function timesOf(path: string): readonly bigint[] {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return [];
  return [found.atimeNs, found.mtimeNs, found.ctimeNs, found.ino, found.size, found.mode, found.nlink];
}

/** Never through a link, as Node's own recursive listing goes. */
function everythingIn(directory: string): readonly string[] {
  const all = [directory];
  for (const at of all) {
    if (!lstatSync(at).isDirectory()) continue;
    all.push(...readdirSync(at).map((name) => join(at, name)));
  }
  return all;
}

/** Whatever is there: Node's own removal fails at names that are no text. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    execFileSync("rm", ["-rf", "--", path]);
  }
}
