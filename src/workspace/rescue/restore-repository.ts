/** A repository made from a bundle, checked out where its workspace stood. Git runs in directories of ours alone. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitLines } from "../git/git.ts";
import { makeDirectories } from "../files/files.ts";
import type { RescuedRepository } from "./manifest.ts";

/** Answers what a person has to know of it, in whole sentences. @throws WorkspaceError when git fails. */
export async function restoreRepository(
  rescue: string,
  one: RescuedRepository,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const at = one.at === "" ? "The workspace" : one.at;
  const on = one.branch === null ? "" : ` (${one.branch})`;
  const stood = `${at} stood at ${one.head ?? "no commit"}${on}`;
  if (one.bundle === null) {
    const also = one.deleted.length === 0 ? "" : ` These were deleted: ${one.deleted.join(", ")}.`;
    return one.head === null ? [] : [`${stood}, which is on its remote: only files were saved.${also}`];
  }
  const bundle = join(rescue, one.bundle);
  if (one.needs.length > 0)
    return [
      `${stood}. Its commits need ${one.needs.join(", ")} of its remote: in a clone of it, run git fetch ${bundle} '+refs/*:refs/rescued/*'.`,
    ];
  await makeDirectories(to, one.at);
  const worktree = join(to, one.at);
  await unpack(join(worktree, ".git"), one, bundle, signal);
  const isOut = await checkOut(join(worktree, ".git"), worktree, one, signal);
  const shallow =
    one.shallow.length === 0 ? [] : [`${at} has no history before the saved commits: that is on its remote.`];
  return isOut ? shallow : [`${stood}, which is on its remote: nothing is checked out there.`, ...shallow];
}

async function unpack(
  gitDir: string,
  one: RescuedRepository,
  bundle: string,
  signal: AbortSignal,
): Promise<void> {
  const run = (...args: string[]) => gitLines({ gitDir, worktree: null, signal, separator: "\n", args });
  await run(
    "-c",
    "init.defaultBranch=restored",
    "init",
    "--quiet",
    "--template=",
    `--object-format=${formatOf(one)}`,
  );
  if (one.shallow.length > 0)
    await writeFile(join(gitDir, "shallow"), one.shallow.map((id) => `${id}\n`).join(""));
  const fetch = ["fetch", "--quiet", "--no-tags", "--update-head-ok", "--no-write-fetch-head"];
  await run("-c", "protocol.file.allow=always", ...fetch, bundle, "+refs/*:refs/*");
}

const formatOf = ({ head, shallow }: RescuedRepository): "sha1" | "sha256" =>
  (head ?? shallow[0] ?? "").length === 64 ? "sha256" : "sha1";

/** False when the commit it stood at is not in the bundle, because only other branches were unpushed. */
async function checkOut(
  gitDir: string,
  worktree: string,
  { branch, head }: RescuedRepository,
  signal: AbortSignal,
): Promise<boolean> {
  const run = (...args: string[]) => gitLines({ gitDir, worktree, signal, separator: "\n", args });
  if (head === null) return false;
  try {
    await run("rev-parse", "--quiet", "--verify", `${head}^{commit}`);
  } catch {
    return false;
  }
  if (branch === null) await run("update-ref", "--no-deref", "HEAD", head);
  else {
    await run("update-ref", branch, head);
    await run("symbolic-ref", "HEAD", branch);
  }
  await run("reset", "--quiet", "--hard");
  return true;
}
