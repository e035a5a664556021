/** Names that a tracker could give an issue: each has a directory of its own, directly under the root. */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { workspaceKey } from "../../../src/workspace/key.ts";
import type { Ground } from "./ground.ts";
import { Life } from "./life.ts";
import type { Tally } from "./tally.ts";

const identifiers = [
  "ABC-1",
  "abc-1",
  "Abc-1",
  "\u00C9-1", // one character, and the same word in two
  "E\u0301-1",
  "\uFF21\uFF22\uFF23-1", // full width
  "ABC\u200B-1",
  "\u202EABC-1",
  "A\u212AC-1", // the sign of Kelvin, which is a K to many
  "\u0391BC-1", // Greek
  "..",
  ".",
  "",
  "../outside/secret",
  "../../outside/dir",
  "/etc/passwd",
  "a/b",
  "a\\b",
  "ABC-1\n",
  "ABC-1\0",
  "ABC-1 ",
  "ABC-1.",
  "-rf",
  "~",
  "$(touch x)",
  ".git",
  ".trash",
  ".baton",
  "CON",
  "x".repeat(10_000),
  "\uD800",
];

/** No process can be given it, so no hook can be run for it. */
const unusable = "ABC-1\0";

export async function tryIdentifiers(ground: Ground, tally: Tally): Promise<void> {
  ground.fresh();
  const keys = new Map<string, string>();
  for (const identifier of identifiers) {
    const key = workspaceKey(identifier);
    const name = nameOf(identifier);
    const { answer } = tally.step(
      name,
      await new Life(ground, { name: identifier, bash: identifier === unusable }).do("prepare"),
    );
    const path = join(ground.root, key);
    if (keys.has(key)) tally.surprise(name, "shares its directory with another one");
    if (answer !== (identifier === unusable ? null : "made")) tally.surprise(name, `came to ${answer}`);
    else if (answer !== null) {
      keys.set(key, identifier);
      if (dirname(path) !== ground.root || !lstatSync(path).isDirectory() || key.startsWith("."))
        tally.surprise(name, `has its directory at ${path}`);
    }
    tally.identifiers++;
  }
  await removeEveryOther(ground, keys, tally);
  tally.look("identifiers");
}

/** One issue's removal must not take another one's workspace along. */
async function removeEveryOther(
  ground: Ground,
  keys: ReadonlyMap<string, string>,
  tally: Tally,
): Promise<void> {
  const left = new Set(keys.keys());
  for (const [index, [key, identifier]] of [...keys].entries()) {
    if (index % 2 === 1) continue;
    const name = nameOf(identifier);
    const { answer } = tally.step(
      name,
      await new Life(ground, { name: identifier, bash: identifier === unusable }).do("remove"),
    );
    if (answer !== "removed") tally.surprise(name, `came to ${answer} instead of being removed`);
    left.delete(key);
  }
  const there = readdirSync(ground.root).filter((name) => keys.has(name));
  if (there.length !== left.size) tally.surprise("identifiers", `left: ${there.join(", ")}`);
}

const nameOf = (identifier: string): string => `the identifier ${JSON.stringify(identifier.slice(0, 20))}`;
