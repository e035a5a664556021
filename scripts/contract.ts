/**
 * The contract suite against released versions of Codex, which are installed on demand:
 *
 *     npm run contract -- --codex 0.130.0,0.155.0 [--keep]
 *
 * Without `--codex`: the pinned one. `--keep` writes the table into docs/CODEX.md. Ends with 1 when a release fails a test
 * that docs/CODEX.md does not name for it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const DOCUMENT = "docs/CODEX.md";
const [BEGIN, END] = ["<!-- table -->", "<!-- end -->"];
const BINARY = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
/** Before 0.135 or so the binary had no folder of its own. */
const BINARIES = [BINARY, BINARY.replace("/bin/codex", "/codex/codex")];

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message?: string;
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

interface Result {
  readonly version: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

const { values } = parseArgs({ options: { codex: { type: "string" }, keep: { type: "boolean" } } });
const results = (values.codex?.split(",") ?? [pinned()]).map((version) => tried(version.trim()));
for (const { version, passed, failed } of results) {
  process.stdout.write(`codex ${version}: ${passed} passed, ${failed.length} failed\n`);
  for (const name of failed) process.stdout.write(`  ${name}\n`);
}
if (values.keep === true) keep(results);
const named = readFileSync(DOCUMENT, "utf8");
process.exitCode = results.some(({ failed }) => failed.some((name) => !named.includes(name))) ? 1 : 0;

function pinned(): string {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return devDependencies["@openai/codex"] ?? "";
}

function tried(version: string): Result {
  const report = join(mkdtempSync(join(tmpdir(), "baton-contract-")), "report.json");
  const args = ["vitest", "run", "--project", "programs", "test/contract/codex-"];
  const env = { ...process.env, BATON_CODEX: installed(version) };
  try {
    spawnSync("npx", [...args, "--reporter=json", `--outputFile=${report}`], { env, stdio: "ignore" });
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults.flatMap(({ assertionResults, name, message = "" }) =>
      assertionResults.length === 0
        ? [`${name.replace(`${process.cwd()}/`, "")}: ${message.split("\n")[0]}`]
        : assertionResults.flatMap(({ status, fullName }) => (status === "failed" ? [fullName] : [])),
    );
    return { version, passed: numPassedTests, failed };
  } finally {
    rmSync(join(report, ".."), { recursive: true, force: true });
  }
}

/** The binary of this release, in a directory of its own below node_modules/.cache. */
function installed(version: string): string {
  if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) throw new Error(`"${version}" is no version of Codex.`);
  if (version === pinned()) return resolve(BINARY);
  const directory = resolve("node_modules/.cache/codex", version);
  const found = (): string | undefined =>
    BINARIES.map((path) => join(directory, path)).find((path) => existsSync(path));
  if (found() === undefined) {
    mkdirSync(directory, { recursive: true });
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
    const args = ["install", "--prefix", directory, ...quiet, `@openai/codex@${version}`];
    execFileSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  }
  const binary = found();
  if (binary === undefined) throw new Error(`@openai/codex@${version} has no binary for this platform.`);
  return binary;
}

function keep(all: readonly Result[]): void {
  const text = readFileSync(DOCUMENT, "utf8");
  const rows = all.map(
    ({ version, failed }) => `| ${version} | ${failed.length === 0 ? "none" : failed.join("; ")} |`,
  );
  const table = ["| Codex | failed |", "|---|---|", ...rows].join("\n");
  const [before = "", rest = ""] = text.split(BEGIN);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n${table}\n${END}${rest.split(END)[1] ?? ""}`);
}
