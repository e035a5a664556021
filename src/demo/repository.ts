/** The small git repository of the demo: a program that greets, with checks, in a bare origin that workspaces are cloned from. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Local commands on a handful of files; more than this means that something hangs. */
const GIT_MAX_MS = 20_000;

const files: Readonly<Record<string, string>> = {
  "README.md": `# greeter

\`./greet.sh Ada\` greets Ada. \`./test.sh\` runs the checks.
`,
  "greet.sh": `#!/bin/sh
# Greets whoever is named.
echo "Hello, $1!"
`,
  "test.sh": `#!/bin/sh
# Runs every check and says how many passed.
passed=0
failed=0
for check in checks/*.sh; do
  if sh "$check"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $check"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
`,
  "checks/name.sh": `[ "$(./greet.sh Ada)" = "Hello, Ada!" ]
`,
};

/** Makes the bare repository `origin` with one commit on main, by way of the directory `draft`. */
export async function makeOrigin(origin: string, draft: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(draft, name)), { recursive: true });
    await writeFile(join(draft, name), text, {
      mode: name.includes("/") || name.endsWith(".md") ? 0o644 : 0o755,
    });
  }
  await git(draft, "init", "--quiet", "--initial-branch=main");
  await git(draft, "add", ".");
  await git(draft, "commit", "--quiet", "--message=A program that greets");
  await git(draft, "clone", "--quiet", "--bare", draft, origin);
}

/** Short hash of a branch's last commit; null when there is no such branch, or nothing on it but what main has. */
export async function commitOn(origin: string, branch: string): Promise<string | null> {
  try {
    const ahead = await git(origin, "rev-list", "--count", `main..refs/heads/${branch}`);
    return ahead === "0" ? null : await git(origin, "rev-parse", "--short", `refs/heads/${branch}`);
  } catch {
    return null;
  }
}

/** Version of the git that is installed; null when there is none. */
export async function gitVersion(): Promise<string | null> {
  try {
    return /\d+\.\d+[.\d]*/.exec(await git("/", "--version"))?.[0] ?? null;
  } catch {
    return null;
  }
}

/** The person's own settings (signing, hooks, templates) have no part in this. */
const apart = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Baton demo",
  GIT_AUTHOR_EMAIL: "demo@baton.invalid",
  GIT_COMMITTER_NAME: "Baton demo",
  GIT_COMMITTER_EMAIL: "demo@baton.invalid",
};

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const env = { ...Object.fromEntries(inherited), ...apart };
  const { stdout } = await run("git", args, { cwd, env, timeout: GIT_MAX_MS });
  return stdout.trim();
}
