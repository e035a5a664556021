/** The oldest Node that Baton runs on. Runs on much older ones itself, so it uses nothing new. */

/** better-sqlite3's prebuilt binary needs 22.14 (package.json `engines` says the same). */
const OLDEST = [22, 14] as const;

/** What is wrong with this Node version and what to do; null when it is fine. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `baton: this is Node ${version}, and Baton needs ${OLDEST.join(".")} or newer (24 is what it is developed on).\n` +
    "Install a newer Node (https://nodejs.org) and start it again."
  );
}
