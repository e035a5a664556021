/**
 * Programs of ours that tests start, each in one piece: two thirds of what a start costs is finding and reading some
 * thousand modules, and the tests of a daemon's life start hundreds of daemons. Paths are relative to the repository.
 * Built when the first test asks, and again when a source has changed; what a program does is not touched.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { DAY_MS } from "../src/domain/time.ts";

/** With arguments that make it load all it needs and end by itself: what is killed leaves nothing compiled behind. */
const programs = {
  "src/main.ts": ["validate", "/none"],
  "test/faults/daemon/main.ts": [],
  "test/faults/daemon/agent.ts": [],
  "test/faults/ledger/committer.ts": [],
  "test/faults/ledger/holder.ts": [],
  "test/faults/ledger/migrator.ts": [],
} as const;

/** What is older was built from other sources, and no test that runs uses it. */

/** They end by themselves in less than a second. */
const WARM_UP_MS = 30_000;

type Program = keyof typeof programs;

const repository = join(import.meta.dirname, "..");
const built = join(repository, "node_modules/.cache/programs", fingerprint());
/** The environment in which they start fast: what Node compiled of them is kept. */
export const fastStart = { NODE_COMPILE_CACHE: join(built, "compiled") };

if (!existsSync(built)) await build();

/** The file that Node is given in place of `source`. */
export function program(source: Program): string {
  return join(built, nameOf(source));
}

function nameOf(source: Program): string {
  return `${source.replaceAll("/", "-").replace(/\.ts$/, "")}.js`;
}

/** Of all that a program may be made of. */
function fingerprint(): string {
  const hash = createHash("sha256")
    // The paths of this checkout are in what is built.
    .update(repository)
    .update(readFileSync(join(repository, "package-lock.json")));
  for (const folder of ["src", "test"]) {
    for (const name of readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (/\.test\.ts$|^[^.]+$/.test(name)) continue;
      hash.update(`\0${name}\0`).update(readFileSync(join(repository, folder, name)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

/** In a directory of its own first: others may be building the same. */
async function build(): Promise<void> {
  mkdirSync(dirname(built), { recursive: true });
  const making = mkdtempSync(join(dirname(built), "making-"));
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: repository,
    input: Object.fromEntries(
      (Object.keys(programs) as Program[]).map((source) => [nameOf(source).slice(0, -3), source]),
    ),
    platform: "node",
    external: ["better-sqlite3"],
    // As in scripts/build.ts: a folder's face names all its rooms, and who takes one thing from it does not load the others.
    resolve: { mainFields: ["module", "main"], conditionNames: ["module", "import", "default"] },
    treeshake: { moduleSideEffects: [{ test: /\/src\/(?!main\.ts$)/, external: false, sideEffects: false }] },
    tsconfig: false,
    logLevel: "silent",
    // A program finds its files from where its sources are.
    plugins: [{ name: "places", transform: inPlace }],
  });
  await bundle.write({ dir: making, format: "cjs", entryFileNames: "[name].js" });
  await bundle.close();
  writeFileSync(join(making, "package.json"), '{ "type": "commonjs" }\n');
  try {
    renameSync(making, built);
  } catch (error) {
    rmSync(making, { recursive: true });
    // Somebody else was quicker.
    if (!existsSync(built)) throw error;
  }
  for (const old of readdirSync(dirname(built))) {
    const path = join(dirname(built), old);
    // Others may be building and tidying at the same time.
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (path !== built && Date.now() - mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
  for (const [source, args] of Object.entries(programs)) {
    spawnSync(process.execPath, [program(source as Program), ...args], {
      env: { ...process.env, ...fastStart },
      timeout: WARM_UP_MS,
    });
  }
}

function inPlace(code: string, id: string): string | null {
  if (!code.includes("import.meta.") || id.includes("node_modules")) return null;
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
}
