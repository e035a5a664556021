/**
 * The program as it is shipped: built, beside nothing but what package.json says it depends on. The other tests run
 * what test/programs.ts builds of the sources.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/sqlite.ts";
import { demoWorkflow } from "../../src/demo/world.ts";
import { packageRoot } from "../../src/package-root.ts";

const home = mkdtempSync(join(tmpdir(), "baton-built-"));
const installed = join(home, "baton");
const dist = join(installed, "dist");

beforeAll(() => {
  execFileSync(process.execPath, [join(packageRoot, "scripts/build.ts"), "--into", dist]);
  cpSync(join(packageRoot, "package.json"), join(installed, "package.json"));
  for (const file of manifest().files.filter((one) => one !== "dist"))
    cpSync(join(packageRoot, file), join(installed, file), { recursive: true });
  const lock = JSON.parse(readFileSync(join(packageRoot, "package-lock.json"), "utf8")) as Lock;
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (path === "" || dev === true) continue;
    mkdirSync(dirname(join(installed, path)), { recursive: true });
    symlinkSync(join(packageRoot, path), join(installed, path));
  }
  writeFileSync(
    join(home, "WORKFLOW.md"),
    "---\ntracker: {kind: linear, project_slug: demo}\n検索結果: 1\n---\nWork on {{ issue.identifier }}.\n",
  );
  mkdirSync(join(home, ".baton"));
  openLedger(join(home, ".baton/ledger.db")).close();
  writeFileSync(join(home, "tell.cjs"), tellLoaded);
  writeFileSync(join(home, "old.cjs"), `${tellLoaded}${pretendOld}`);
  writeFileSync(join(home, "break.cjs"), breakOutput);
});
afterAll(() => rmSync(home, { recursive: true }));

const manifest = () =>
  JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    readonly version: string;
    readonly files: readonly string[];
  };

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

const tellLoaded = `process.on("exit", () => process.stderr.write("\\nloaded:" + JSON.stringify(Object.keys(require.cache))));\n`;
const pretendOld = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } });\n`;
const breakOutput = `process.stdout.write = () => { throw new TypeError("nobody expected this"); };\n`;

interface End {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `before`: a file of the test's that is loaded before the program. */
const baton = (args: readonly string[], before?: string): Promise<End> =>
  new Promise((resolve) => {
    const early = before === undefined ? [] : ["--require", join(home, before)];
    execFile(
      process.execPath,
      [...early, join(dist, "main.js"), ...args],
      { cwd: home, env: { PATH: process.env["PATH"], HOME: home, LINEAR_API_KEY: "lin_api_test_key_1" } },
      (error, out, err) => resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
    );
  });

/** The sources, and the packages, of the built files that a command loads. */
async function loadedBy(args: readonly string[], before = "tell.cjs") {
  const { err } = await baton(args, before);
  const files = JSON.parse(err.slice(err.indexOf("loaded:") + "loaded:".length)) as string[];
  const sources = files.filter((file) => dirname(file) === dist).flatMap(sourcesOf);
  const packages = sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
  return { sources, packages: new Set(packages.filter((name) => name !== undefined)) };
}

const sourcesOf = (file: string): readonly string[] =>
  (JSON.parse(readFileSync(`${file}.map`, "utf8")) as { readonly sources: string[] }).sources;

test("what is built needs nothing but what the package depends on", async () => {
  const { version } = manifest();
  const [help, itsVersion, validate, status] = await Promise.all([
    baton(["--help"]),
    baton(["--version"]),
    baton(["validate"]),
    baton(["status"]),
  ]);
  expect(help).toMatchObject({ code: 0, err: "" });
  expect(help.out).toContain("Usage: baton");
  expect(itsVersion.out.trim()).toBe(version);
  expect(validate.err).toBe("");
  expect(validate.out).toContain("検索結果");
  expect(validate.out).toContain("Work on ");
  expect(status).toMatchObject({ code: 1, err: "" });
  expect(status.out).toContain("No daemon is running.");
});

test("the demo's workflow is inside of what is built, and none that people write", () => {
  cpSync(join(installed, "workflows/implement.md"), join(installed, "WORKFLOW.md"));
  expect(readFileSync(join(dist, "WORKFLOW.md"), "utf8")).toBe(readFileSync(demoWorkflow, "utf8"));
});

test("README's steps to one's own board begin in an empty directory and lead to a workflow that can be used", () => {
  const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
  const steps = /^mkdir (.|\n)*?^baton validate\b/m.exec(readme)?.[0] ?? "exit 9";
  const bin = join(home, "bin");
  mkdirSync(bin);
  const program = (name: string, script: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  // What \`npm link\` leaves behind.
  program("npm", `test "$*" = "root -g" && echo '${home}'`);
  program("baton", `exec '${process.execPath}' '${join(dist, "main.js")}' "$@"`);
  const said = execFileSync("sh", ["-euc", steps], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: home },
  });
  expect(said).toContain("my-board/WORKFLOW.md");
  expect(said).toContain("You implement the Linear ticket");
});

test("a command loads what it needs and no more", async () => {
  const help = await loadedBy(["--help"]);
  expect([...help.packages]).toEqual(["commander"]);
  expect(help.sources).not.toContain("../src/cli/status.ts");
  for (const args of [["status"], ["runs"], ["show", "--told", "MT-1"]]) {
    const { sources, packages } = await loadedBy(args);
    expect(sources).toContain(`../src/cli/${args[0]}.ts`);
    expect([...packages]).toEqual(["commander"]);
    expect(sources.filter((source) => /src\/(daemon|agent|tracker|workspace)\//.test(source))).toEqual([]);
  }
});

test("what is imported late is never another folder's face, which would come whole", () => {
  const files = readdirSync(join(packageRoot, "src"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts"));
  const late = sources.filter((file) =>
    /\bimport\("\.\.\//.test(readFileSync(join(packageRoot, "src", file), "utf8")),
  );
  expect(sources).toContain("main.ts");
  expect(late).toEqual([]);
});

test("an old Node is told so before anything but the first file is loaded", async () => {
  const { code, err } = await baton(["status"], "old.cjs");
  expect(code).toBe(5);
  expect(err).toContain("this is Node 18.20.0");
  expect(err).toContain(`${join(dist, "main.js")} status`);
  expect((await loadedBy(["status"], "old.cjs")).sources).toEqual(sourcesOf(join(dist, "main.js")));
});

test("a command that is misspelt is no file; a file without an ending is", async () => {
  const { code, err } = await baton(["stauts"]);
  expect(code).toBe(2);
  expect(err).toContain("there is no command `stauts`");
  expect(err).toContain("Did you mean `baton status`?");
  expect((await baton(["run", "stauts"])).err).toContain("there is no such file");
  expect((await baton(["--log-level", "warn", "shwo", "MT-1"])).err).toContain("`baton show`");
  writeFileSync(join(home, "nightly"), "---\nagent: 7\n---\n");
  expect((await baton(["nightly"])).err).toContain("/nightly:2:8: agent:");
});

test("a stack trace names the lines of the sources", async () => {
  const { code, err } = await baton(["status"], "break.cjs");
  expect(code).toBe(1);
  expect(err).toContain("TypeError: nobody expected this");
  const [, line = ""] = /at status \(src\/cli\/status\.ts:(\d+):\d+\)/.exec(err) ?? [];
  const text = readFileSync(join(packageRoot, "src/cli/status.ts"), "utf8").split("\n")[Number(line) - 1];
  expect(text, err).toContain("output.out(");
});

test("every package in the built files is there with its licence", async () => {
  const licences = readFileSync(join(dist, "THIRD_PARTY_LICENSES"), "utf8");
  const { packages } = await loadedBy(["run", "no-such-file.md"]);
  expect(packages).toContain("zod");
  for (const name of packages) expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, "m"));
  expect(licences).toContain("Permission is hereby granted");
});
