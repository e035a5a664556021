/** The attacks that need no race: what can lie at a workspace's path, in it, and in its repository. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Ground, git, sameLengthAsSecret } from "./ground.ts";
import type { StepName } from "./life.ts";

export interface Kind {
  readonly name: string;
  /** Without a repository. */
  readonly bare?: boolean;
  readonly lay: (ground: Ground) => void;
  /** What the steps have to come to, as `Step.answer`; `refused`: a named error. `prepare` is `reused` if not said. */
  readonly expect: Partial<Record<StepName, string>>;
  /** What this kind may make git read outside, because it is asked to by whoever set the workspace up. */
  readonly reads?: RegExp;
}

/** Everything works as if nothing was there. */
const harmless = { print: "known", remove: "removed" };
/** Nothing is removed that cannot be saved, and no progress is known. */
const kept = { print: "unknown", remove: "refused" };
const refused = { prepare: "refused", before: "refused", print: "unknown", remove: "refused" };

const inPlace = (ground: Ground, put: (path: string) => void, path = ground.path): void => {
  rmSync(path, { recursive: true, force: true });
  put(path);
};
const pipe = (path: string): void => void execFileSync("mkfifo", [path]);
/** A socket's file stays when its process is gone. */
const socket = (path: string): void =>
  void execFileSync(
    process.execPath,
    [
      "-e",
      "require('net').createServer().listen('./s', () => { require('fs').renameSync('./s', process.argv[1]); process.exit(); })",
      path,
    ],
    { cwd: join(path, "..") },
  );
const device = (path: string): void => void execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });

function mayMakeDevices(): boolean {
  try {
    const made = execFileSync("mktemp", ["-u"], { encoding: "utf8" }).trim();
    device(made);
    rmSync(made);
    return true;
  } catch {
    return false;
  }
}

const atPath: readonly Kind[] = [
  { name: "a pipe at the path", lay: (g) => inPlace(g, pipe), expect: refused },
  { name: "a socket at the path", lay: (g) => inPlace(g, socket), expect: refused },
  { name: "a file at the path", lay: (g) => inPlace(g, (path) => writeFileSync(path, "")), expect: refused },
  {
    name: "a link at the path",
    lay: (g) => inPlace(g, (path) => symlinkSync(join(g.outside, "MT-1"), path)),
    expect: refused,
  },
  {
    name: "a dangling link at the path",
    lay: (g) => inPlace(g, (path) => symlinkSync(join(g.outside, "none"), path)),
    expect: refused,
  },
  {
    name: "a loop of links at the path",
    lay: (g) => inPlace(g, (path) => symlinkSync(path, path)),
    expect: refused,
  },
  ...(mayMakeDevices()
    ? [{ name: "a device at the path", lay: (g: Ground) => inPlace(g, device), expect: refused }]
    : []),
  ...[".trash", ".baton"].flatMap((own): readonly Kind[] => [
    {
      name: `a link at ${own}`,
      lay: (g) => symlinkSync(join(g.outside, own === ".trash" ? "trash" : "marks"), join(g.root, own)),
      expect: { prepare: "refused", remove: "refused" },
    },
    {
      name: `a pipe at ${own}`,
      lay: (g) => pipe(join(g.root, own)),
      expect: { prepare: "refused", remove: "refused" },
    },
  ]),
  {
    name: "links in the trash",
    lay: (g) => {
      mkdirSync(join(g.root, ".trash", "left"), { recursive: true });
      symlinkSync(join(g.outside, "trash"), join(g.root, ".trash", "left", "link"));
      symlinkSync(join(g.outside, "trash"), join(g.root, ".trash", "link"));
    },
    expect: harmless,
  },
  {
    name: "a link as the mark of a workspace being made",
    lay: (g) => {
      mkdirSync(join(g.root, ".baton"));
      symlinkSync(join(g.outside, "marks", "MT-1.creating"), join(g.root, ".baton", "MT-1.creating"));
    },
    expect: { prepare: "made", ...harmless },
  },
];

const inside: readonly Kind[] = [true, false].flatMap((bare): readonly Kind[] => {
  const among = bare ? "among loose files" : "in a repository";
  const put = (g: Ground, name: string): string => join(g.path, name);
  return [
    { name: `pipes ${among}`, bare, lay: (g) => pipe(put(g, "pipe")), expect: harmless },
    { name: `sockets ${among}`, bare, lay: (g) => socket(put(g, "socket")), expect: harmless },
    ...(mayMakeDevices()
      ? [{ name: `devices ${among}`, bare, lay: (g: Ground) => device(put(g, "zero")), expect: harmless }]
      : []),
    {
      name: `read-only directories ${among}`,
      bare,
      lay: (g) => {
        mkdirSync(put(g, "locked/in/deep"), { recursive: true });
        writeFileSync(put(g, "locked/in/deep/file"), "x");
        for (const name of ["locked/in/deep", "locked/in", "locked"]) chmodSync(put(g, name), 0o500);
      },
      expect: harmless,
    },
    {
      name: `files and directories of mode 000 ${among}`,
      bare,
      lay: (g) => {
        writeFileSync(put(g, "none"), "x", { mode: 0 });
        mkdirSync(put(g, "nowhere"));
        writeFileSync(put(g, "nowhere/file"), "x");
        chmodSync(put(g, "none"), 0);
        // Root may enter it all the same; anybody else is told.
        if (process.getuid?.() === 0) chmodSync(put(g, "nowhere"), 0);
      },
      expect: harmless,
    },
    {
      name: `odd names ${among}`,
      bare,
      lay: (g) => {
        for (const name of [
          "new\nline",
          "-rf",
          "--help",
          "tab\t",
          ' "quoted" ',
          "\u202Eright",
          ":(glob)*",
          "!x",
        ]) {
          writeFileSync(put(g, name), "x");
          mkdirSync(put(g, `${name}.d`));
          writeFileSync(put(g, `${name}.d/${name}`), "x");
        }
      },
      expect: harmless,
    },
    {
      name: `names that are no UTF-8 ${among}`,
      bare,
      lay: (g) => {
        mkdirSync(Buffer.concat([Buffer.from(`${g.path}/caf`), Buffer.of(0xe9)]));
        writeFileSync(
          Buffer.concat([Buffer.from(`${g.path}/caf`), Buffer.of(0xe9), Buffer.from("/file")]),
          "x",
        );
        writeFileSync(Buffer.concat([Buffer.from(`${g.path}/`), Buffer.of(0xff, 0xfe)]), "x");
      },
      expect: harmless,
    },
    {
      name: `loops of links ${among}`,
      bare,
      lay: (g) => {
        mkdirSync(put(g, "loop/a"), { recursive: true });
        symlinkSync("../..", put(g, "loop/a/up"));
        symlinkSync(".", put(g, "loop/self"));
        symlinkSync("one", put(g, "loop/two"));
        symlinkSync("two", put(g, "loop/one"));
      },
      expect: harmless,
    },
    {
      name: `links to outside ${among}`,
      bare,
      lay: (g) => {
        symlinkSync(join(g.outside, "secret"), put(g, "secret"));
        symlinkSync(join(g.outside, "dir"), put(g, "way"));
        symlinkSync("/proc/self/root", put(g, "all"));
        rmSync(put(g, "dir"), { recursive: true });
        symlinkSync(join(g.outside, "dir"), put(g, "dir"));
      },
      expect: harmless,
    },
    {
      name: `a huge sparse file ${among}`,
      bare,
      lay: (g) => {
        for (const name of ["huge", "code.ts"]) {
          writeFileSync(put(g, name), "");
          truncateSync(put(g, name), 2 ** 40);
        }
      },
      expect: harmless,
    },
    {
      name: `a repository in it ${among}, with a link to another one`,
      bare,
      lay: (g) => {
        git(g.path, "init", "--quiet", "--template=", "nested");
        writeFileSync(put(g, "nested/file"), "x");
        mkdirSync(put(g, "other"));
        symlinkSync(join(g.outside, "repo"), put(g, "other/repo"));
      },
      expect: harmless,
    },
  ];
});

const inGit = (g: Ground, name: string): string => join(g.path, ".git", name);
const replaced = (g: Ground, name: string, put: (path: string) => void): void =>
  inPlace(g, put, inGit(g, name));
const away = (g: Ground): string => join(g.outside, "repo", ".git");

const gitFiles = [
  "HEAD",
  "index",
  "packed-refs",
  "commondir",
  "info/exclude",
  "refs/heads/main",
  "logs/refs/stash",
];

const repository: readonly Kind[] = [
  {
    name: ".git as a link to a stranger's repository",
    lay: (g) => replaced(g, "", (path) => symlinkSync(away(g), path.replace(/\/$/, ""))),
    expect: harmless,
  },
  {
    name: ".git as a file that names a stranger's repository",
    lay: (g) => replaced(g, "", (path) => writeFileSync(path.replace(/\/$/, ""), `gitdir: ${away(g)}\n`)),
    expect: harmless,
  },
  {
    name: "a submodule's .git that names a stranger's repository",
    lay: (g) => {
      mkdirSync(join(g.path, "sub"));
      writeFileSync(join(g.path, "sub", ".git"), `gitdir: ${away(g)}\n`);
    },
    expect: kept,
  },
  {
    name: "commondir of a stranger's repository",
    lay: (g) => writeFileSync(inGit(g, "commondir"), away(g)),
    expect: harmless,
  },
  ...["objects", "refs"].map(
    (name): Kind => ({
      name: `${name} as a link to a stranger's`,
      lay: (g) => replaced(g, name, (path) => symlinkSync(join(away(g), name), path)),
      expect: name === "refs" ? kept : harmless,
    }),
  ),
  {
    name: "one directory of objects as a link to a stranger's",
    lay: (g) => symlinkSync(join(away(g), "objects", "pack"), inGit(g, "objects/zz")),
    expect: kept,
  },
  {
    name: "objects borrowed from another repository, and none of them used",
    lay: (g) => writeFileSync(inGit(g, "objects/info/alternates"), `${join(away(g), "objects")}\n`),
    expect: harmless,
    reads: /repo\/\.git\/objects/,
  },
  ...["HEAD", "index", "packed-refs", "refs/heads/main"].map(
    (name): Kind => ({
      name: `${name} as a link to a stranger's`,
      lay: (g) => replaced(g, name, (path) => symlinkSync(join(away(g), name), path)),
      expect: name === "refs/heads/main" ? harmless : kept,
    }),
  ),
  ...gitFiles.map(
    (name): Kind => ({
      name: `.git/${name} as a pipe`,
      lay: (g) => {
        mkdirSync(join(inGit(g, name), ".."), { recursive: true });
        replaced(g, name, pipe);
      },
      expect: kept,
    }),
  ),
  ...["objects/info/alternates", "objects/pack/pack-1.idx", "objects/00"].map(
    (name): Kind => ({
      name: `.git/${name} as a pipe`,
      lay: (g) => replaced(g, name, pipe),
      expect: kept,
    }),
  ),
  ...[".gitignore", ".gitattributes", ".gitmodules", "dir/.gitignore"].flatMap((name): readonly Kind[] => [
    { name: `${name} as a pipe`, lay: (g) => inPlace(g, pipe, join(g.path, name)), expect: kept },
    {
      name: `${name} of a terabyte`,
      lay: (g) => {
        writeFileSync(join(g.path, name), "");
        truncateSync(join(g.path, name), 2 ** 40);
      },
      expect: kept,
    },
    {
      name: `${name} as a link to outside`,
      lay: (g) => inPlace(g, (path) => symlinkSync(join(g.outside, "secret"), path), join(g.path, name)),
      expect: harmless,
    },
  ]),
  {
    name: "an index that names files outside",
    lay: (g) => {
      const index = readFileSync(inGit(g, "index"));
      index.write("../../outside/secret", index.indexOf(sameLengthAsSecret));
      // Git is content with the checksum of nobody: all zeros.
      index.fill(0, index.length - 20);
      writeFileSync(inGit(g, "index"), index);
    },
    expect: kept,
  },
  {
    name: "hostile configuration, attributes and hooks",
    lay: layTraps,
    expect: harmless,
  },
  {
    name: "hostile configuration of a submodule",
    lay: (g) => {
      git(
        g.path,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        `file://${join(g.base, "template")}`,
        "sub",
      );
      writeFileSync(join(g.path, "sub", "code.ts"), "changed");
      const module = inGit(g, "modules/sub");
      appendFileSync(join(module, "config"), trapsOf(g));
      writeFileSync(join(g.path, "sub", ".gitattributes"), "* filter=trap diff=trap merge=trap\n");
      g.arm();
    },
    expect: harmless,
  },
  {
    name: "a linked worktree of a repository that knows it",
    lay: (g) => {
      const main = join(g.base, "main");
      rmSync(main, { recursive: true, force: true });
      renameSync(g.path, main);
      git(main, "worktree", "add", "--quiet", "-b", "mine", g.path);
      writeFileSync(join(g.path, "new"), "x");
    },
    expect: harmless,
  },
];

const trapsOf = ({ trap }: Ground): string => `[core]
	fsmonitor = ${trap}
	sshCommand = ${trap}
	gitProxy = ${trap}
	pager = ${trap}
	editor = ${trap}
	alternateRefsCommand = ${trap}
[filter "trap"]
	clean = ${trap}
	smudge = ${trap}
	process = ${trap}
	required = true
[diff]
	external = ${trap}
[diff "trap"]
	command = ${trap}
	textconv = ${trap}
[merge "trap"]
	driver = ${trap}
[credential]
	helper = ${trap}
[gpg]
	program = ${trap}
[uploadpack]
	packObjectsHook = ${trap}
[alias]
	status = !${trap}
	ls-files = !${trap}
	bundle = !${trap}
[protocol "ext"]
	allow = always
[remote "origin"]
	promisor = true
	url = ext::${trap}
`;

/** Every way by which a repository makes git run a program. */
function layTraps(g: Ground): void {
  writeFileSync(inGit(g, "included"), `${trapsOf(g)}[core]\n\thooksPath = ${inGit(g, "hooks")}\n`);
  appendFileSync(inGit(g, "config"), "[include]\n\tpath = included\n");
  writeFileSync(join(g.path, ".gitattributes"), "* filter=trap diff=trap merge=trap\n");
  mkdirSync(inGit(g, "info"), { recursive: true });
  writeFileSync(inGit(g, "info/attributes"), "* filter=trap diff=trap merge=trap\n");
  const hooks = [
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "fsmonitor-watchman",
  ];
  mkdirSync(inGit(g, "hooks"), { recursive: true });
  for (const hook of hooks)
    writeFileSync(inGit(g, `hooks/${hook}`), `#!/bin/sh\nexec '${g.trap}'\n`, { mode: 0o755 });
}

/** So many files, most of them ignored as dependencies are, some of them new. */
const many = (files: number): Kind => ({
  name: `${files} files`,
  lay: (g) => {
    writeFileSync(join(g.path, ".gitignore"), "ignored\n");
    for (let made = 0; made < files; ) {
      const directory = join(
        g.path,
        made % 50_000 === 0 ? "new" : "ignored",
        String(Math.floor(made / 1_000)),
      );
      mkdirSync(directory, { recursive: true });
      for (let n = 0; n < 1_000 && made < files; n++, made++)
        closeSync(openSync(join(directory, `${n}`), "w"));
    }
  },
  expect: harmless,
});

/** All kinds; with `files` as the size of the largest workspace. */
export const kinds = (files: number): readonly Kind[] => [...atPath, ...inside, ...repository, many(files)];
