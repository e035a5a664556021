/** Real repositories for the tests of what is read and saved of workspaces, among them hostile ones. */
import { execFile } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gitEnvironment } from "../git-environment.ts";

const run = promisify(execFile);

export class GitRig {
  readonly base: string;
  /** A bare repository with one commit on main, as Linear's teams have them on a server. */
  readonly remote: string;
  /** A clone of it. */
  readonly path: string;

  constructor(base: string) {
    this.base = base;
    this.remote = join(base, "remote.git");
    this.path = join(base, "root", "MT-1");
  }

  /** As an agent would: with the configuration that lies in the repository. Answers the output, trimmed. */
  async git(...args: string[]): Promise<string> {
    return this.in(this.path, ...args);
  }

  async in(directory: string, ...args: string[]): Promise<string> {
    const running = run("git", ["-C", directory, ...args], { env: { ...gitEnvironment, HOME: this.base } });
    // A trap that reads its input must find an end of it.
    running.child.stdin?.end();
    const { stdout } = await running;
    return stdout.trim();
  }

  async write(path: string, content: string, directory = this.path): Promise<void> {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }

  async commit(path: string, content: string, directory = this.path): Promise<string> {
    await this.write(path, content, directory);
    await this.in(directory, "add", "--all");
    await this.in(directory, "commit", "--quiet", "--message", `write ${path}`);
    return this.in(directory, "rev-parse", "HEAD");
  }

  /** Adds the remote as a submodule at `sub`, and commits that. Git takes one from a path only when it is told to. */
  async addSubmodule(): Promise<void> {
    const add = ["submodule", "--quiet", "add", this.remote, "sub"];
    await this.git("-c", "protocol.file.allow=always", ...add);
    await this.git("commit", "--quiet", "--message", "sub");
  }

  /**
   * Sets every trap by which a repository makes git run a program, each leaving `trap` behind. `arm` says how a program
   * is named where a command line is not possible.
   */
  async setTraps(trap: string): Promise<void> {
    const script = join(this.base, "trap.sh");
    await writeFile(script, `#!/bin/sh\necho "$0 $*" >> '${trap}'\ncat\nexit 0\n`);
    await chmod(script, 0o755);
    const gitDir = join(this.path, ".git");
    await writeFile(
      join(gitDir, "included"),
      `[core]\n\tfsmonitor = ${script}\n\tsshCommand = ${script}\n\tgitProxy = ${script}\n\talternateRefsCommand = ${script}\n\tpager = ${script}\n\teditor = ${script}\n\thooksPath = ${join(gitDir, "hooks")}\n[uploadpack]\n\tpackObjectsHook = ${script}\n[credential]\n\thelper = ${script}\n[filter "trap"]\n\tclean = ${script}\n\tsmudge = ${script}\n\trequired = true\n[diff "trap"]\n\tcommand = ${script}\n\ttextconv = ${script}\n[merge "trap"]\n\tdriver = ${script}\n[diff]\n\texternal = ${script}\n[status]\n\tsubmoduleSummary = true\n[gpg]\n\tprogram = ${script}\n[alias]\n\tstatus = !${script}\n\tbundle = !${script}\n[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\tpromisor = true\n\tuploadpack = ${script}\n\turl = ext::${script}\n`,
    );
    await appendFile(join(gitDir, "config"), `[include]\n\tpath = included\n`);
    await mkdir(join(gitDir, "info"), { recursive: true });
    await writeFile(join(gitDir, "info", "attributes"), "* filter=trap diff=trap merge=trap\n");
    await writeFile(join(this.path, ".gitattributes"), "* filter=trap diff=trap merge=trap\n");
    for (const hook of hooks) {
      await mkdir(join(gitDir, "hooks"), { recursive: true });
      await writeFile(join(gitDir, "hooks", hook), `#!/bin/sh\necho "hook ${hook}" >> '${trap}'\n`);
      await chmod(join(gitDir, "hooks", hook), 0o755);
    }
  }

  end(): Promise<void> {
    return rm(this.base, { recursive: true, force: true });
  }
}

const hooks = [
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
  "post-commit",
  "fsmonitor-watchman",
];

/** A remote with two commits on main and a clone of it at `<base>/root/MT-1`. */
export async function gitRig(): Promise<GitRig> {
  const rig = new GitRig(await realpath(await mkdtemp(join(tmpdir(), "baton-rescue-"))));
  await mkdir(dirname(rig.path));
  await rig.in(rig.base, "init", "--quiet", "--bare", "--initial-branch=main", rig.remote);
  await rig.in(rig.base, "clone", "--quiet", rig.remote, rig.path);
  await rig.git("checkout", "--quiet", "-B", "main");
  await rig.commit("old", "old\n");
  await rig.commit("code.ts", "one\n");
  await rig.git("push", "--quiet", "origin", "main");
  await rig.write(".gitignore", "ignored\nnode_modules/\n");
  await rig.git("add", "--all");
  await rig.git("commit", "--quiet", "--message", "ignore");
  await rig.git("push", "--quiet", "origin", "main");
  return rig;
}
