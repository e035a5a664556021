/** The oldest Node that Baton runs on. Runs on much older ones itself, so it uses nothing new. */

/** better-sqlite3's prebuilt binary needs 22.14 (package.json `engines` says the same). */
const OLDEST = [22, 14] as const;

/** How this program was started. */
export interface Start {
  readonly version: string;
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** A Node that lies beside the program, as in a checkout after `npm ci`; null where there is none. */
  readonly beside: string | null;
}

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** What is wrong with this Node version and what to do; null when it is fine. */
export function nodeProblem({ version, argv, beside }: Start): string | null {
  if (!isTooOld(version)) return null;
  // By the path it was started with: the package called "baton" in the registry is somebody else's.
  const node = beside === null ? "npm exec --yes --package=node@24 -- node" : quoted(beside);
  const again = [node, ...argv.map(quoted)].join(" ");
  return (
    `baton: this is Node ${version}, and Baton needs ${OLDEST.join(".")} or newer (24 is what it is developed on).\n` +
    `Install a newer Node (https://nodejs.org), or start this Baton with ${beside === null ? "one that npm brings" : "the one that came with it"}:\n` +
    `  ${again}`
  );
}

/** For a shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.split("'").join(`'\\''`)}'`;
