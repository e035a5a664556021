/**
 * Which codex the demo runs: the one that this checkout has installed for its tests, else the one on PATH. Asked for its
 * version and whether its sandbox works here, before anything depends on it.
 */
import { fieldsOf } from "../domain/domain.ts";
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { DemoError } from "./demo-error.ts";

const run = promisify(execFile);

/** Both answers take a tenth of a second; the first start after an installation may read 300 MB from a disk. */
const ANSWER_MAX_MS = 30_000;

export interface CodexBinary {
  readonly path: string;
  readonly version: string;
}

/** `installed`: the one that came with this program, null when none did. @throws DemoError saying how to install one. */
export async function findCodex(
  env: Readonly<Record<string, string | undefined>>,
  installed: string | null = bundled(),
): Promise<CodexBinary> {
  const path = installed ?? onPath(env["PATH"] ?? "");
  if (path === null) throw new DemoError("prerequisite", `There is no \`codex\` on PATH. ${howToInstall}`);
  try {
    const { stdout } = await run(path, ["--version"], { timeout: ANSWER_MAX_MS });
    return { path, version: /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stdout.trim() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DemoError("prerequisite", `${path} does not run: ${why.trim()}\n${howToInstall}`, error);
  }
}

const howToInstall = "The demo drives the real Codex. Install it with: npm install -g @openai/codex";

/** Why Codex cannot sandbox a command on this machine; null when it can. `home`: a CODEX_HOME that exists. */
export async function sandboxProblem(
  { path }: CodexBinary,
  home: string,
  cwd: string,
): Promise<string | null> {
  try {
    const env = { ...process.env, CODEX_HOME: home };
    await run(path, ["sandbox", "--", "true"], { cwd, env, timeout: ANSWER_MAX_MS });
    return null;
  } catch (error) {
    const { stderr } = fieldsOf(error);
    const said = typeof stderr === "string" ? (stderr.trim().split("\n").at(-1) ?? "") : "";
    return said === "" ? String(error) : said;
  }
}

const targets: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/** The binary itself: its npm wrapper costs 30 ms and one more process per launch, and finds whatever `node` is there. */
function bundled(): string | null {
  const platform = `${process.platform}-${process.arch}`;
  const target = targets[platform];
  if (target === undefined) return null;
  const require = createRequire(import.meta.url);
  try {
    const root = dirname(require.resolve(`@openai/codex-${platform}/package.json`));
    const path = join(root, "vendor", target, "bin", "codex");
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

function onPath(directories: string): string | null {
  const candidates = directories.split(delimiter).map((directory) => join(directory, "codex"));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
