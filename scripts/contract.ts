/**
 * The contract suite against released versions of Codex, which are installed on demand:
 *
 *     npm run contract -- --codex 0.130.0,0.155.0 [--keep]
 *
 * Without `--codex`: the pinned one. `--keep` writes the rows of these releases into docs/CODEX.md, each as soon as it is
 * known. Ends with 1 when a release fails a test that docs/CODEX.md did not name for it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type CommandResult, runCommand } from "../src/processes/processes.ts";
import type { Line } from "./contract-reporter.ts";
import { type Tried, unnamed, withRows } from "./contract-table.ts";

const DOCUMENT = "docs/CODEX.md";
const BINARY = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
/** Before 0.135 or so the binary had no folder of its own. */
const BINARIES = [BINARY, BINARY.replace("/bin/codex", "/codex/codex")];

/** The pinned release takes a minute or two; one that lets most tests wait for their own bounds would take an hour. */
const RELEASE_MAX_MS = 15 * 60_000;

/** Some 100 MB. */
const INSTALL_MAX_MS = 5 * 60_000;

const { values } = parseArgs({ options: { codex: { type: "string" }, keep: { type: "boolean" } } });
process.exitCode = 0;
for (const version of values.codex?.split(",") ?? [pinned()]) {
  const result = await tried(version.trim());
  tell(result);
  const document = readFileSync(DOCUMENT, "utf8");
  if (unnamed(document, result).length > 0) process.exitCode = 1;
  if (values.keep === true) writeFileSync(DOCUMENT, withRows(document, [result]));
}

function tell({ version, passed, failed, unfinished }: Tried): void {
  const end = unfinished === null ? "" : `, not finished: ${unfinished}`;
  process.stdout.write(`codex ${version}: ${passed} passed, ${failed.length} failed${end}\n`);
  for (const name of failed) process.stdout.write(`  ${name}\n`);
}

function pinned(): string {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return devDependencies["@openai/codex"] ?? "";
}

async function tried(version: string): Promise<Tried> {
  const on = new Date().toISOString().slice(0, "2031-01-02".length);
  const binary = installed(version);
  if (binary === null)
    return { version, on, passed: 0, failed: [], unfinished: "it cannot be installed here" };
  const directory = mkdtempSync(join(tmpdir(), "baton-contract-"));
  const report = join(directory, "report.jsonl");
  try {
    const { end } = await suite({ BATON_CODEX: binary, BATON_CONTRACT_REPORT: report });
    const lines = existsSync(report) ? linesOf(report) : [];
    const named = (type: "passed" | "failed"): readonly string[] =>
      lines.flatMap((line) => (line.type === type ? [line.name] : []));
    const hasEnd = lines.some(({ type }) => type === "end");
    const late = `ended after ${RELEASE_MAX_MS / 60_000} minutes`;
    const why = end.type === "timeout" ? late : "the tests' own process ended";
    return {
      version,
      on,
      passed: named("passed").length,
      failed: named("failed"),
      unfinished: hasEnd ? null : why,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function linesOf(report: string): readonly Line[] {
  const lines = readFileSync(report, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Runs the tests to their end, or to that of their time. With what they have started they end with this script, too. */
function suite(env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const args = ["run", "--project", "programs", "test/contract/codex-"];
  return runCommand({
    file: "node_modules/.bin/vitest",
    args: [...args, "--reporter=./scripts/contract-reporter.ts"],
    cwd: process.cwd(),
    env: { ...(process.env as Record<string, string>), ...env },
    timeoutMs: RELEASE_MAX_MS,
    signal: null,
  });
}

/** The binary of this release, in a directory of its own below node_modules/.cache; null = there is none for this platform. */
function installed(version: string): string | null {
  if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) throw new Error(`"${version}" is no version of Codex.`);
  if (version === pinned()) return resolve(BINARY);
  const directory = resolve("node_modules/.cache/codex", version);
  const found = (): string | undefined =>
    BINARIES.map((path) => join(directory, path)).find((path) => existsSync(path));
  if (found() === undefined) {
    mkdirSync(directory, { recursive: true });
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
    const args = ["install", "--prefix", directory, ...quiet, `@openai/codex@${version}`];
    spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"], timeout: INSTALL_MAX_MS });
  }
  return found() ?? null;
}
