/**
 * Races that are won every time: the programs that Baton starts are found behind ones that put a link in a directory's
 * place first, and take it away again afterwards. So it is there for as long as each of them runs, and never else.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ground } from "./ground.ts";
import { Life, type StepName } from "./life.ts";
import { placeOf, strangerOf, type Target } from "./races.ts";
import type { Tally } from "./tally.ts";

type Program = "git" | "find" | "rm" | "bash";

const telling: readonly (readonly [Program, Target])[] = [
  ["git", "key"],
  ["git", "dir"],
  ["find", "key"],
  ["rm", ".trash"],
  ["bash", "key"],
];
const others: readonly (readonly [Program, Target])[] = [
  ["git", ".git"],
  ["git", ".git/objects"],
  ["git", ".git/refs"],
  ["git", "code.ts"],
  ["git", "root"],
  ["find", ".git"],
  ["find", "dir"],
  ["rm", "key"],
  ["rm", "root"],
  ["bash", ".baton"],
  ["bash", ".trash"],
  ["bash", "root"],
];

const steps: readonly StepName[] = ["prepare", "before", "print", "after", "remove"];

/** With `all`, every program and place; otherwise those that tell most. */
export async function tryDirected(ground: Ground, tally: Tally, all: boolean): Promise<void> {
  const path = process.env["PATH"];
  try {
    for (const [program, target] of all ? [...telling, ...others] : telling) {
      const name = `${target} swapped while ${program} runs`;
      ground.fresh();
      for (const own of [".trash/left", ".baton"]) mkdirSync(join(ground.root, own), { recursive: true });
      process.env["PATH"] = `${ambush(ground, program, target, path ?? "")}:${path}`;
      const life = new Life(ground, { bash: program === "bash" });
      ground.arm();
      await life.meet();
      for (const step of steps) tally.step(name, await life.do(step));
      process.env["PATH"] = path;
      tally.look(name);
      tally.directed++;
    }
  } finally {
    process.env["PATH"] = path;
  }
}

/** Answers the directory to look for programs in. */
function ambush(ground: Ground, program: Program, target: Target, path: string): string {
  const real = execFileSync("sh", ["-c", `command -v ${program}`], {
    env: { PATH: path },
    encoding: "utf8",
  }).trim();
  const place = placeOf(ground, target);
  const beside = join(ground.base, "beside");
  const bin = join(ground.base, "bin");
  for (const directory of [bin, beside]) rmSync(directory, { recursive: true, force: true });
  mkdirSync(bin);
  mkdirSync(beside);
  symlinkSync(strangerOf(ground, target), join(beside, "link"));
  const script = `#!/bin/sh
if mv -T '${place}' '${beside}/own' 2>/dev/null; then mv -T '${beside}/link' '${place}'; fi
'${real}' "$@"
code=$?
if [ -e '${beside}/own' ]; then mv -T '${place}' '${beside}/link'; mv -T '${beside}/own' '${place}'; fi
exit $code
`;
  writeFileSync(join(bin, program), script, { mode: 0o755 });
  return bin;
}
